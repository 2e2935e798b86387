import type { Ledger } from './ledger.ts';
import { outcomeOf } from './outcome-of.ts';
import type { SubjectRecord } from './record.ts';

/**
 * Replaces earlier results by those of a ledger, in the order of `names`. Earlier results are kept
 * for programs that the ledger covers only in part, and dropped for programs that no longer exist.
 */
export function mergeOutcomes(
  names: readonly string[],
  before: readonly SubjectRecord[],
  { subjects }: Ledger,
): readonly SubjectRecord[] {
  const known = new Map(before.map((outcome) => [outcome.subject, outcome]));
  for (const outcome of subjects.flatMap((one) => outcomeOf(one) ?? [])) known.set(outcome.subject, outcome);
  return names
    .flatMap((name) => known.get(name) ?? [])
    .filter(({ kernels, unclean }) => kernels.length > 0 || unclean !== undefined);
}
