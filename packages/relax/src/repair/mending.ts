import type { Finding, MissingKind } from '@nccl-ts/findings';
import type { CheckedText } from '../checked-text.ts';
import { rankOf, type ChangeSet } from './change-set.ts';
import type { Search, SearchInput } from './search.ts';
import type { Strengthening, StrengtheningKind } from './strengthening.ts';

export interface Mending {
  /** Sets of changes that are clean in the program as it is, the smallest first. */
  readonly sets: readonly ChangeSet[];
  /** False if the time ended before all was tried. */
  readonly isComplete: boolean;
}

interface MendingOptions {
  /** The number of sets that are enough. */
  readonly most: number;
  /** Calls of barriers of the ranks, which may stand between two launches. */
  readonly copies: Iterable<Promise<Strengthening | undefined> | Strengthening>;
  /** Calls of these within the kernel. */
  readonly between?: MendingOptions['copies'];
  /** Changes of the accesses between the two of the finding that it names. They come first. */
  readonly named?: readonly Strengthening[];
}

/** The most sets that are looked for in a class of changes. */
const ENOUGH = 6;

/** The number of changes of a class, near the places of the finding, that are tried. */
const NEAREST = 24;

/**
 * Finds sets of changes that mend the program as it is. The first tries are those that the finding
 * asks for. More order never breaks what less order keeps, so that all orders at once tell if any
 * of them can help. Barriers of threads can block, and are tried one by one.
 */
export async function mending<Input extends SearchInput>(
  search: Search<Input>,
  base: Input,
  candidates: readonly Strengthening[],
  finding: Finding,
  { most, copies, between = [], named = [] }: MendingOptions,
): Promise<Mending> {
  const sets: ChangeSet[] = [];
  const called = async (calls: MendingOptions['copies']): Promise<void> => {
    for (const copy of calls) {
      const one = await copy;
      if (one !== undefined && (await search.check([one], base)).kind === 'clean') sets.push([one]);
      if (search.isOver || sets.length >= most) break;
    }
  };
  if (isBetweenLaunches(finding)) {
    await called(copies);
    if (sets.length > 0) return { sets, isComplete: true };
  }
  let isKnown = true;
  const singles = async (from: readonly Strengthening[]): Promise<void> => {
    let count = 0;
    for (const one of from.slice(0, NEAREST)) {
      if (search.isOver || count >= ENOUGH) return;
      if ((await search.check([one], base)).kind !== 'clean') continue;
      sets.push([one]);
      count++;
    }
  };
  const isProven = async (set: ChangeSet): Promise<boolean> => {
    const mended = await search.check(set, base);
    return mended.kind === 'clean' && mended.isProven;
  };
  const smallest = async (
    from: readonly Strengthening[],
    test: readonly Strengthening[],
    mustBeProven = false,
  ): Promise<CheckedText['kind']> => {
    const { kind } = await search.check(strongestFirst(test), base);
    const set = kind === 'clean' ? await search.smallest(from, base) : undefined;
    if (set !== undefined && (!mustBeProven || (await isProven(set)))) sets.push(set);
    return kind;
  };
  await singles(named);
  const honest = candidates.filter(({ silences }) => !silences);
  const words = honest.filter((one) => isChanged(one));
  const asked = kindsFor(finding);
  const insert = async (kind: StrengtheningKind): Promise<void> => {
    if (sets.length < most) await singles(honest.filter((one) => one.kind === kind && !isChanged(one)));
  };
  // A barrier that mends is what is missing: a fence that also does is a coincidence.
  if (asked[0] === 'barrier') {
    await insert('barrier');
    // Threads that each store a word and then load the other's need fences, and no meeting.
    // Schedules that were sampled may have missed the one that a fence does not order.
    const fences = honest.filter(({ kind }) => kind === 'sc-fence');
    if (fences.length > 0 && !search.isOver) await smallest(fences, fences, true);
  }
  if (sets.length === 0) {
    await singles(words.filter(({ kind }) => asked.includes(kind)));
    for (const kind of asked) await insert(kind);
  }
  // If no flag connects the two accesses, no order of a flag does.
  const isUnconnected = finding.missing.length > 0 && finding.missing.every(({ kind }) => kind === 'synchronisation');
  if (sets.length === 0 && !isUnconnected && !search.isOver) isKnown = (await smallest(words, words)) !== 'none';
  if (sets.length === 0 && isBetweenRanks(finding) && !search.isOver) await called(between);
  const isComplete = isKnown && !search.isOver;
  if (sets.length === 0 && !search.isOver) {
    const plain = candidates.filter(({ silences }) => silences);
    if (plain.length > 0) await smallest([...plain, ...words], [...words, ...plain]);
  }
  return { sets: sets.toSorted((a, b) => rankOf(a) - rankOf(b)), isComplete };
}

/** True if two launches race, which only a barrier of the ranks can mend. */
function isBetweenLaunches(finding: Finding): boolean {
  const [now, before] = finding.labels;
  return now?.launch !== undefined && before?.launch !== undefined && isBetweenRanks(finding);
}

function isBetweenRanks({ labels: [now, before] }: Finding): boolean {
  return now !== undefined && before !== undefined && now.rank !== before.rank;
}

/** The kinds of changes that may mend a finding, the most likely first. */
function kindsFor({ kind, missing, labels: [now, before] }: Finding): readonly StrengtheningKind[] {
  const kinds = new Set<StrengtheningKind>(kind === 'proxy' ? ['proxy'] : []);
  // A wait may be for a word of another context.
  if (kind === 'deadlock') kinds.add('context');
  if (now?.rank === before?.rank && now?.launch !== before?.launch) kinds.add('grid-dependency');
  for (const one of missing) for (const asked of kindsOf[one.kind]) kinds.add(asked);
  return missing.length === 0 ? [...kinds, 'order', 'barrier', 'fence', 'sc-fence'] : [...kinds];
}

const kindsOf: Readonly<Record<MissingKind, readonly StrengtheningKind[]>> = {
  release: ['order', 'fence'],
  acquire: ['order', 'fence'],
  scope: ['order', 'fence'],
  strong: ['order'],
  'coop-sync': ['barrier', 'order', 'fence'],
  synchronisation: ['barrier'],
  completion: ['context', 'completion', 'order', 'proxy', 'barrier'],
  'proxy-fence': ['proxy'],
};

function strongestFirst(changes: readonly Strengthening[]): readonly Strengthening[] {
  return changes.toSorted((a, b) => b.cost - a.cost);
}

/** True for more order of what stands there. With another context, a call has a different order. */
function isChanged({ kind, does }: Strengthening): boolean {
  return kind !== 'context' && !does.startsWith('insert');
}
