import type { Command } from 'commander';
import type { Communicator } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
import { checkLsaSize, type CheckCommandOptions } from './check-options.ts';
import type { SourceText } from './accept-rule.ts';
import { planArguments, type ArgumentPlan, type StartValue } from '../launch/kernel-arguments.ts';
import { launchSequence, type LaunchSequence, type SequenceName } from '../launch/launch-sequence.ts';
import { chooseKernel } from '../module/load-module.ts';
import type { HarnessFacts, UserModule } from '../module/user-module.ts';
import { ModuleError } from '../module/module-error.ts';
import { runHost } from '../launch/run-kernel.ts';
import { runSequence } from '../launch/run-sequence.ts';
import { UsageError } from '../usage-error.ts';

/** A program that a check runs. */
export interface CheckPlan {
  readonly program: 'kernel' | 'host';
  readonly name: string;
  /**
   * The program of every rank: one for each sequence of launches, or a single one for a host
   * program.
   */
  readonly variants: readonly CheckVariant[];
  /** Converts an error to the error to report. */
  readonly failure: (error: unknown) => unknown;
  /** The launch that a harness describes. */
  readonly harness?: HarnessFacts;
  /** Reads the files that findings name. @default relative to the current folder */
  readonly source?: SourceText;
}

export interface CheckVariant {
  /** Absent if the host program makes its own launches. */
  readonly sequence?: LaunchSequence;
  readonly onRank: (comm: Communicator) => Promise<unknown>;
}

/** The sequences that run by default. */
const usual: readonly SequenceName[] = ['once', 'repeat', 'sizes'];

/** The options for the parameters of a kernel without a host program. */
export const optionsOfKernels = ['arg', 'fill', 'type', 'require', 'bytes'] as const;

/**
 * Returns the program that the command line selects: the module's function host, if it exports one
 * and no kernel is named, and otherwise the kernel.
 *
 * @throws UsageError if an option does not fit the program.
 */
export function planCheck(module: UserModule, options: CheckCommandOptions, command: Command): CheckPlan {
  if (module.host !== undefined && options.kernel === undefined) {
    for (const name of [...optionsOfKernels, 'sequence', 'wrap']) {
      if (command.getOptionValueSource(name) !== 'cli') continue;
      if (name === 'sequence' && module.harness !== undefined) continue;
      const runs = module.harness === undefined ? 'function host' : 'harness';
      const instead = module.harness === undefined ? 'name a kernel' : 'change the harness';
      throw new UsageError(`--${name} is for a kernel, and this runs the ${runs} of ${module.path}; ${instead}`);
    }
    if (module.harness !== undefined) checkHarnessOptions(command);
    return planHost(module, options);
  }
  return planKernel(chooseKernel(module, options.kernel), options);
}

/** Returns the numbers of ranks to check: those of the command line, or else of the harness. */
export function rankCountsOf({ harness }: CheckPlan, { rankCounts, ranks }: CheckCommandOptions): readonly number[] {
  return rankCounts ?? harness?.rankCounts ?? [ranks];
}

/**
 * Returns the options with the launch that a harness describes.
 *
 * @throws UsageError if the load-store domains do not fit the ranks.
 */
export function withShapeOf({ harness }: CheckPlan, options: CheckCommandOptions): CheckCommandOptions {
  checkLsaSize(options);
  return { ...options, ...harness?.shape, ...(harness?.local === true ? { local: true } : {}) };
}

/** @throws UsageError if the command line repeats options of the harness. */
export function checkHarnessOptions(command: Command): void {
  for (const name of ['grid', 'block']) {
    if (command.getOptionValueSource(name) !== 'cli') continue;
    throw new UsageError(`--${name}: the harness says how the kernel is launched; change it there`);
  }
}

/**
 * @throws UsageError if the module exports no function host, or a harness cannot be launched in a
 *   sequence.
 */
export function planHost({ host, path, file, harness }: UserModule, options: CheckCommandOptions): CheckPlan {
  if (host === undefined) throw new UsageError(`${path} exports no function host`);
  const { grid, block } = options;
  return {
    program: 'host',
    name: harness?.name ?? 'host',
    variants: harnessVariants(harness, options) ?? [{ onRank: async (comm) => runHost(comm, host, { grid, block }) }],
    failure: (error) => new ModuleError(file, error),
    ...(harness === undefined ? {} : { harness, source: harness.source }),
  };
}

/** The sequences of the command line, of which each launch is the whole list of a harness. */
function harnessVariants(
  harness: HarnessFacts | undefined,
  { sequence: names, arg, ranks, grid, block }: CheckCommandOptions,
): readonly CheckVariant[] | undefined {
  if (harness === undefined || names === undefined) return undefined;
  return names.map((name) => {
    const sequence = name === 'sizes' ? undefined : launchSequence(name, arg, ranks);
    if (sequence === undefined) {
      throw new UsageError(
        `--sequence ${name}: the harness gives the arguments of each launch; make them depend on the launch there`,
      );
    }
    const streams = 1 + Math.max(...sequence.launches.map(({ stream }) => stream));
    const host = harness.launched(sequence.launches.length, streams);
    return { sequence, onRank: async (comm) => runHost(comm, host, { grid, block }) };
  });
}

/**
 * @throws UsageError if the command line cannot make the kernel's arguments; NcclError if it does
 *   not compile.
 */
export function planKernel(kernel: Kernel, options: CheckCommandOptions): CheckPlan {
  const plan = planArguments(kernel, options);
  kernel.compile();
  const start = startValue(kernel, plan, options);
  const run = { ...options, ...(start === undefined ? {} : { start }) };
  return {
    program: 'kernel',
    name: kernel.name,
    variants: sequencesOf(kernel, options).map((sequence) => ({
      sequence,
      onRank: async (comm) => runSequence(comm, kernel, plan, sequence, run),
    })),
    failure: (error) => error,
  };
}

function sequencesOf(kernel: Kernel, { sequence, replay, arg, ranks }: CheckCommandOptions): readonly LaunchSequence[] {
  const names = sequence ?? (replay === undefined ? usual : ['once']);
  const made = names.flatMap((name) => {
    const one = launchSequence(name, arg, ranks);
    if (one === undefined && sequence !== undefined) {
      throw new UsageError(
        `--sequence ${name}: kernel '${kernel.name}' has no integer argument above 1 whose name suggests a count, ` +
          'such as count, n or elements',
      );
    }
    return one ?? [];
  });
  return made;
}

/**
 * So close to the wrap that the second use of a counter comes just before it, and the third after
 * it.
 */
const BEFORE_WRAP = 2;

function startValue(
  kernel: Kernel,
  plan: ArgumentPlan,
  { wrap, wrapWindow = [] }: CheckCommandOptions,
): StartValue | undefined {
  if (wrap === undefined) return undefined;
  const unknown = wrapWindow.find((name) => plan.get(name)?.kind !== 'window');
  if (unknown !== undefined) {
    throw new UsageError(`--wrap-window ${unknown}: kernel '${kernel.name}' has no window parameter of that name`);
  }
  if (wrapWindow.length === 0 && ![...plan.values()].some(({ kind }) => kind === 'devComm')) {
    throw new UsageError(
      `--wrap: kernel '${kernel.name}' has no device communicator; name its windows of counters with --wrap-window`,
    );
  }
  return { value: 2 ** wrap - BEFORE_WRAP, windows: wrapWindow };
}
