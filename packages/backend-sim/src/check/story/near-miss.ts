import type { FindingLabel, WordMeaning } from '@nccl-ts/findings';

/** A change of a word by which threads synchronize. */
export interface StoryChange {
  readonly by: FindingLabel;
  /** Equal for changes of one word. */
  readonly word: string;
  readonly place: WordMeaning;
  readonly value: bigint | undefined;
  /** Counts the events of the world. */
  readonly number: number;
}

/** A wait, or an ordered read of such a word. */
export interface StoryWait {
  readonly by: FindingLabel;
  readonly word: string;
  readonly place: WordMeaning;
  /** The value with which it went on. */
  readonly value: bigint | undefined;
  readonly number: number;
  /** The change that it read. Absent for the first contents of the word. */
  readonly read: StoryChange | undefined;
}

/**
 * One of two racing accesses, with what its CTA did in the same launch. For an operation of the
 * network, it is the CTA that posted it.
 */
export interface StorySide {
  readonly label: FindingLabel;
  /** The waits before the access, the oldest first. */
  readonly waits: readonly StoryWait[];
  /** The waits after it. */
  readonly late: readonly StoryWait[];
  /** The changes of words before it and after it. An operation's own signal comes after it. */
  readonly earlier: readonly StoryChange[];
  readonly later: readonly StoryChange[];
}

/**
 * The nearest synchronization between two accesses, and why it does not order `first` before
 * `second`.
 *
 * - `low`: the wait is satisfied before the change that comes after the first access.
 * - `stale`: the same, by a value that an earlier launch has left.
 * - `initial`: the same, by the first contents of the word.
 * - `before`: what the second side waits for comes before the first access.
 * - `after`: the wait comes after the second access.
 * - `unawaited`: the first side tells the second, which does not wait for that.
 * - `other`: the wait is for another thread, and not for the one with the first access.
 */
export interface NearMiss {
  readonly why: 'low' | 'stale' | 'initial' | 'before' | 'after' | 'unawaited' | 'other';
  readonly first: StorySide;
  readonly second: StorySide;
  /** Absent for `unawaited`. */
  readonly wait: StoryWait | undefined;
  /** The change after the first access that ought to have been waited for. */
  readonly change: StoryChange | undefined;
}

/** The order in which two racing accesses were meant, and the synchronization that comes nearest. */
export function nearMissOf(now: StorySide, before: StorySide): NearMiss | undefined {
  const [first, second] = inMeantOrder(now, before);
  return missOf(first, second);
}

/** The accesses in the order that the program most likely means. */
export function inMeantOrder(now: StorySide, before: StorySide): readonly [StorySide, StorySide] {
  const seen = [before, now] as const;
  const turned = [now, before] as const;
  const launches = launchOf(now) - launchOf(before);
  if (launches !== 0 && !Number.isNaN(launches)) return launches > 0 ? seen : turned;
  // The earlier access waited for a word that the later side changes only after its access, or the
  // later one is an operation whose signal tells the side of the earlier one: that went on too early.
  const isNew = ({ word }: StoryChange): boolean => !now.earlier.some((one) => one.word === word);
  const isAwaited = now.later.some((one) => isNew(one) && before.waits.some(({ word }) => word === one.word));
  if (isAwaited || signalTo(now, before) !== undefined) return turned;
  if (now.waits.length > 0 || before.waits.length === 0) return seen;
  return now.earlier.some((one) => before.waits.some(({ word }) => word === one.word)) ? seen : turned;
}

/** The signal of an operation of the network, which tells the rank of the other side. */
function signalTo({ label, later }: StorySide, other: StorySide): StoryChange | undefined {
  const [own] = later;
  if (label.agent !== 'network' || own?.by.agent !== 'network' || other.label.agent === 'network') return undefined;
  const isThere = 'rank' in own.place && own.place.rank === other.label.rank;
  return isThere && !other.waits.some(({ word }) => word === own.word) ? own : undefined;
}

function missOf(first: StorySide, second: StorySide): NearMiss | undefined {
  const waits = second.waits.toReversed();
  const sides = { first, second };
  const comesToo = (change: StoryChange): boolean =>
    waits.some(({ word, read }) => word === change.word && read !== undefined && read.number >= change.number);
  for (const wait of waits) {
    const change = first.later.find(({ word }) => word === wait.word);
    if (change === undefined || comesToo(change)) continue;
    const { read } = wait;
    if (read === undefined) return { why: 'initial', ...sides, wait, change };
    return { why: isOlder(read.by, wait.by) ? 'stale' : 'low', ...sides, wait, change };
  }
  const untold = signalTo(first, second);
  const late = second.late.find(({ read }) => read !== undefined && first.later.includes(read));
  if (late !== undefined) return { why: 'after', ...sides, wait: late, change: late.read };
  if (untold !== undefined) return { why: 'unawaited', ...sides, wait: undefined, change: untold };
  const early = waits.find(({ read }) => read !== undefined && first.earlier.includes(read));
  const told = first.later.find(({ place }) => 'rank' in place && place.rank === second.label.rank) ?? first.later[0];
  if (early !== undefined) return { why: 'before', ...sides, wait: early, change: told };
  const other = waits.find(({ read }) => read !== undefined && !isParty(read.by, second.label));
  return other === undefined ? undefined : { why: 'other', ...sides, wait: other, change: told };
}

function isParty(a: FindingLabel, b: FindingLabel): boolean {
  return a.rank === b.rank && a.launch === b.launch && a.blockIdx?.x === b.blockIdx?.x;
}

function isOlder(a: FindingLabel, b: FindingLabel): boolean {
  return numberOf(a.purpose) < numberOf(b.purpose);
}

function launchOf({ label }: StorySide): number {
  return numberOf(label.purpose);
}

/** The number of a launch on its rank, from `launch 2` or `launch 2 of 3`. */
function numberOf(purpose: string | undefined): number {
  const [, digits] = /\blaunch (\d+)/.exec(purpose ?? '') ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}
