import type { Ledger } from './ledger.ts';
import { outcomeOf } from './outcome-of.ts';
import type { SubjectRecord } from './record.ts';

/**
 * What a ledger found in the place of what was found before, in the order of `names`. Of programs
 * that it does not know whole, what was found before is kept; of those that are no more, nothing.
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
