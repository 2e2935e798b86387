import type { Command } from 'commander';
import type { Communicator } from '@nccl-ts/communicator';
import { planArguments } from '../launch/kernel-arguments.ts';
import type { ComparedElements } from '@nccl-ts/harness';
import type { KernelValues } from '../launch/kernel-values.ts';
import { chooseKernel } from '../module/load-module.ts';
import type { UserModule } from '../module/user-module.ts';
import { ModuleError } from '../module/module-error.ts';
import { checkHarnessOptions, optionsOfKernels } from '../check/plan-check.ts';
import { runHost, runKernel, type KernelRun, type RankResult } from '../launch/run-kernel.ts';
import { UsageError } from '../usage-error.ts';

/** The options of a run on any backend. */
export interface RunPlanOptions extends KernelRun, KernelValues {
  readonly kernel?: string;
}

/** The program of every rank. */
export interface PlannedProgram {
  readonly program: 'kernel' | 'host';
  readonly name: string;
  readonly onRank: (comm: Communicator) => Promise<RankResult>;
  /** Converts an error to the error to report. */
  readonly failure: (error: unknown) => unknown;
}

/** Reports everything that may be wrong with the command line, before anything runs. */
export function planRun(module: UserModule, options: RunPlanOptions, command: Command): PlannedProgram {
  const { host, path, file, harness } = module;
  if (host !== undefined && options.kernel === undefined) {
    for (const name of optionsOfKernels) {
      if (command.getOptionValueSource(name) !== 'cli') continue;
      const runs = harness === undefined ? 'function host' : 'harness';
      throw new UsageError(`--${name} is for a kernel's parameters, but this runs the ${runs} of ${path}`);
    }
    const failure = (error: unknown): unknown => new ModuleError(file, error);
    if (harness === undefined) {
      return { program: 'host', name: 'host', onRank: async (comm) => runHost(comm, host, options), failure };
    }
    checkHarnessOptions(command);
    const compared: ComparedElements[] = [];
    const comparing = harness.comparing((elements) => compared.push(elements));
    return {
      program: 'host',
      name: harness.name,
      onRank: async (comm) => {
        const result = await runHost(comm, comparing, options);
        return { ...result, compared: compared.filter(({ rank }) => rank === comm.rank) };
      },
      failure,
    };
  }
  const kernel = chooseKernel(module, options.kernel);
  const plan = planArguments(kernel, options);
  kernel.compile();
  return {
    program: 'kernel',
    name: kernel.name,
    onRank: async (comm) => runKernel(comm, kernel, plan, options),
    failure: (error) => error,
  };
}
