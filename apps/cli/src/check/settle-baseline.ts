import type { Baseline } from './baseline.ts';
import type { CheckCommandOptions } from './check-options.ts';
import type { Checked } from './check-report.ts';
import { counted } from '../output/counted.ts';

/** The effect of a check on a baseline. */
export interface SettledBaseline {
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Writes the baseline if that is requested. Otherwise it lists entries that no check finds any
 * longer. A program with another error, or with an incomplete check, cannot show that an entry is
 * stale.
 */
export async function settleBaseline(
  baseline: Baseline | undefined,
  programs: readonly Checked[],
  { updateBaseline }: Pick<CheckCommandOptions, 'updateBaseline'>,
): Promise<SettledBaseline> {
  if (baseline === undefined) return { lines: [], json: {} };
  const found = programs.map(({ file, name, accepted }) => ({ file, name, findings: accepted }));
  if (updateBaseline === true) {
    const next = baseline.updated(found);
    await next.write();
    return { lines: [`${baseline.path} accepts ${counted(next.entries.length, 'finding')} now`], json: {} };
  }
  const clean = programs.flatMap(({ report }, i) => (report.verdict === 'clean' ? (found[i] ?? []) : []));
  const stale = baseline.stale(clean);
  const lines = stale.map(
    ({ file, name, kind, message }) =>
      `note: ${baseline.path} accepts a finding that no longer occurs: ${kind} in ${name} of ${file}: ${message}`,
  );
  if (lines.length > 0) lines.push(`--update-baseline takes ${lines.length === 1 ? 'it' : 'them'} out`);
  return { lines: lines.length === 0 ? [] : [lines.join('\n')], json: { stale } };
}
