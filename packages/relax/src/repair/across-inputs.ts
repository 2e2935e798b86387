import type { ChangeSet } from './change-set.ts';
import type { Repair } from './repair-report.ts';
import type { Search, SearchInput } from './search.ts';

/** A set of changes, and how it does in the inputs. */
export interface Offer extends Pick<Repair, 'proven' | 'sampled' | 'fails'> {
  readonly changes: ChangeSet;
}

/**
 * Keeps the sets that hold in each input in which any set holds. Inputs with a `context`, which the
 * program itself does not have, are only reported.
 */
export async function acrossInputs<Input extends SearchInput>(
  search: Search<Input>,
  sets: readonly ChangeSet[],
  {
    base,
    inputs,
    most,
    warnings,
    hasContext = () => false,
  }: {
    base: Input;
    inputs: readonly Input[];
    most: number;
    warnings: readonly string[];
    hasContext?: (input: Input) => boolean;
  },
): Promise<readonly Offer[]> {
  const offers: Offer[] = [];
  const isProvenIn = ({ proven }: Offer): boolean => proven.includes(base.name);
  const mended = new Set<string>();
  for (const changes of sets) {
    if (offers.length >= most + 1 || (offers.length > 0 && search.isOver)) break;
    const own = await search.check(changes, base);
    if (own.kind !== 'clean' || own.warnings.some((one) => !warnings.includes(one))) continue;
    const fails: { input: string; why: string }[] = [];
    const [proven, sampled]: [string[], string[]] = own.isProven ? [[base.name], []] : [[], [base.name]];
    let isWorse = false;
    for (const input of inputs) {
      if (input === base) continue;
      const trial = await search.check(changes, input);
      if (trial.kind === 'clean') (trial.isProven ? proven : sampled).push(input.name);
      if (trial.kind !== 'wrong') continue;
      // Only barriers can break what was right. Otherwise schedules that were sampled missed it.
      const before = await search.check([], input);
      isWorse = before.kind === 'clean' && (before.isProven || changes.some(({ kind }) => kind === 'barrier'));
      if (isWorse) break;
      fails.push({ input: input.name, why: trial.finding.message });
    }
    if (isWorse) continue;
    offers.push({ changes, proven, sampled, fails });
    for (const input of proven) mended.add(input);
  }
  for (const input of inputs) if (hasContext(input)) mended.delete(input.name);
  return offers
    .filter(({ fails }) => fails.every(({ input }) => !mended.has(input)))
    .toSorted((a, b) => Number(isProvenIn(b)) - Number(isProvenIn(a)))
    .slice(0, most);
}
