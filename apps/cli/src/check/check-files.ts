import type { Kernel } from '@nccl-ts/kernel';
import type { Baseline } from './baseline.ts';
import type { CheckEngine } from './check-engine.ts';
import type { CheckCommandOptions } from './check-options.ts';
import { checkRankCounts } from './check-rank-counts.ts';
import type { Checked } from './check-report.ts';
import { isDevComm } from '../launch/kernel-arguments.ts';
import { valuesFor } from '../launch/kernel-values.ts';
import { loadModule } from '../module/load-module.ts';
import type { UserModule } from '../module/user-module.ts';
import { planHost, planKernel, type CheckPlan } from './plan-check.ts';
import { UsageError } from '../usage-error.ts';

/** The result for one program of a file, or for a file without programs. */
export type FileOutcome =
  | { readonly kind: 'checked'; readonly checked: Checked }
  /** The command line cannot make its arguments, or there is nothing to check. */
  | { readonly kind: 'skipped'; readonly file: string; readonly name?: string; readonly why: string }
  | { readonly kind: 'failed'; readonly file: string; readonly name?: string; readonly error: unknown };

/**
 * Checks every program of each file, in order: the function host of a module that exports one,
 * otherwise each of its kernels. If a file or program fails, the others are still checked.
 *
 * @throws UsageError if a value of `--arg`, `--fill` or `--type` fits none of the kernels.
 */
export async function* checkFiles(
  engine: CheckEngine,
  files: readonly string[],
  options: CheckCommandOptions,
  baseline: Baseline | undefined,
): AsyncGenerator<FileOutcome> {
  const loaded: (FileOutcome | ExportedProgram)[] = [];
  for (const file of files) {
    const module = await load(file, options);
    loaded.push(...('kind' in module ? [module] : programsOf(module, options)));
  }
  const params = loaded.flatMap((one) => ('kind' in one ? [] : one.params));
  for (const flag of ['arg', 'fill', 'type'] as const) {
    const unknown = [...options[flag].keys()].find((name) => !params.includes(name));
    if (unknown !== undefined) {
      const why =
        params.length === 0 && loaded.length > 0
          ? 'these files run their function host, which passes the arguments itself; name one kernel with --kernel'
          : 'no kernel of these files has such a parameter';
      throw new UsageError(`--${flag} ${unknown}: ${why}`);
    }
  }
  for (const one of loaded) yield 'kind' in one ? one : await outcomeOf(engine, one, options, baseline);
}

async function load(file: string, options: CheckCommandOptions): Promise<UserModule | FileOutcome> {
  try {
    return await loadModule(file, { ...options, simulates: true });
  } catch (error) {
    if (error instanceof UsageError) return { kind: 'skipped', file, why: error.message };
    return { kind: 'failed', file, error };
  }
}

interface ExportedProgram {
  readonly file: string;
  readonly name: string;
  readonly params: readonly string[];
  readonly plan: (options: CheckCommandOptions) => CheckPlan;
}

function programsOf(module: UserModule, options: CheckCommandOptions): readonly ExportedProgram[] {
  if (module.host !== undefined && options.kernel === undefined) {
    const name = module.harness?.name ?? 'host';
    return [{ file: module.path, name, params: [], plan: (one) => planHost(module, one) }];
  }
  const isMeant = ([name, kernel]: readonly [string, Kernel]): boolean =>
    options.kernel === undefined || options.kernel === name || options.kernel === kernel.name;
  return [...new Set([...module.kernels].filter(isMeant).map(([, kernel]) => kernel))].map((kernel) => {
    const params = Object.keys(kernel.params);
    const takesDevComm = Object.values(kernel.params).some(isDevComm);
    const values = valuesFor(options, params, takesDevComm);
    const plan = (one: CheckCommandOptions): CheckPlan => planKernel(kernel, { ...one, ...values });
    return { file: module.path, name: kernel.name, params, plan };
  });
}

async function outcomeOf(
  engine: CheckEngine,
  { file, name, plan: planOf }: ExportedProgram,
  given: CheckCommandOptions,
  baseline: Baseline | undefined,
): Promise<FileOutcome> {
  try {
    const plan = planOf(given);
    const started = performance.now();
    const accepts = given.updateBaseline === true ? 'everything' : (baseline?.of(file, name) ?? []);
    const result = await checkRankCounts(engine, plan, planOf, given, accepts);
    const milliseconds = performance.now() - started;
    const hasDefaultRanks = plan.harness?.fixesRanks === false && given.rankCounts === undefined;
    return {
      kind: 'checked',
      checked: { ...result, file, program: plan.program, name, hasDefaultRanks, milliseconds },
    };
  } catch (error) {
    if (error instanceof UsageError) return { kind: 'skipped', file, name, why: error.message };
    return { kind: 'failed', file, name, error };
  }
}
