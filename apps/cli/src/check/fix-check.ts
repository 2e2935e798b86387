import { isNcclError } from '@nccl-ts/core';
import type { SourceFix } from '@nccl-ts/findings';
import { firstRepairText } from '../repair/repair-text.ts';
import type { FileRepair } from '../repair/repair-host.ts';
import { isProgramFile } from '../module/is-kernel-file.ts';
import type { Colors } from '../output/colors.ts';
import type { Heartbeat } from '../output/heartbeat.ts';
import { searchSeconds } from '../repair/search-seconds.ts';
import { visibleLine } from '../output/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { DEFAULT_SECONDS, type CheckCommandOptions } from './check-options.ts';
import type { CheckPlan } from './plan-check.ts';

/** The result of `--fix`: the first repair, or why there is none. */
export type CheckFix = FileRepair | { readonly why: string };

/**
 * Checks that `--fix` can change the program, before the program is checked.
 *
 * @throws UsageError if it cannot.
 */
export function expectFixable(file: string, { program, harness }: CheckPlan, options: CheckCommandOptions): void {
  if (program === 'kernel')
    throw new UsageError(`--fix is for a function host or a harness, and this checks a kernel of ${file}`);
  if (isProgramFile(file))
    throw new UsageError(`--fix: ${file} has no source that could change; name the file of the kernel or its harness`);
  if (harness !== undefined && options.rankCounts !== undefined)
    throw new UsageError('--fix: the harness says the numbers of ranks, leave --ranks out');
}

/** Looks for a repair of a program with an error. */
export async function fixCheck(
  file: string,
  { harness: isHarness }: CheckPlan,
  { harness, rankCounts, lsaSize, local, grid, block, compilerFlags = [] }: CheckCommandOptions,
  heartbeat: Heartbeat,
): Promise<CheckFix> {
  const { repairFile } = await import('../repair/repair-file.ts');
  heartbeat.limit(DEFAULT_SECONDS);
  try {
    return await repairFile(file, {
      ...searchSeconds,
      most: 1,
      ...(harness === undefined ? {} : { harness }),
      ...(isHarness === undefined
        ? {
            grid,
            block,
            ...(rankCounts === undefined ? {} : { ranks: rankCounts }),
            ...(lsaSize === undefined ? {} : { lsaSize }),
            ...(local === undefined ? {} : { local }),
          }
        : {}),
      compilerFlags,
      onProgress: (doing) => heartbeat.doing(`looking for a repair: ${visibleLine(doing)}`),
    });
  } catch (error) {
    // The report of the check must not be lost.
    if (isNcclError(error) || error instanceof UsageError) return { why: error.message };
    throw error;
  } finally {
    heartbeat.clear();
  }
}

/** The options of the launch, which a command repeats. */
type FixLaunch = Pick<CheckCommandOptions, 'rankCounts' | 'lsaSize' | 'local' | 'harness'>;

/** The fix for people. */
export function fixText(file: string, fix: CheckFix, launch: FixLaunch, colors: Colors): string {
  const head = colors.bold('fix:');
  if ('why' in fix) return `${head} none was searched for, because ${fix.why}`;
  const { report, file: changed } = fix;
  const text = `${head} ${firstRepairText(report)}`;
  if (changed === undefined || report.repairs.length === 0) return text;
  const { rankCounts, lsaSize, local, harness } = launch;
  const words = [
    ...(rankCounts === undefined ? [] : [`--ranks ${rankCounts.join()}`]),
    ...(lsaSize === undefined ? [] : [`--lsa-size ${lsaSize}`]),
    ...(local === true ? ['--local'] : []),
    ...(harness === undefined ? [] : [`--harness ${visibleLine(harness)}`]),
    `--write ${visibleLine(changed.path)}`,
  ];
  return `${text}\n\n  nccl-ts repair ${visibleLine(file)} ${words.join(' ')} writes it`;
}

/** The change of a file that the fix makes; `undefined` if there is none. */
export function sourceFixOf(fix: CheckFix): SourceFix | undefined {
  if ('why' in fix || fix.file === undefined) return undefined;
  const [first] = fix.report.repairs;
  if (first === undefined) return undefined;
  const { path, text: before } = fix.file;
  return { title: first.title, file: path, before, after: first.text };
}
