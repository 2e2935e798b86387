import { isAboveIn, type FindingLabel, type WordMeaning } from '@nccl-ts/findings';
import { isSameCta } from '../cta-text.ts';

/** A change of a word by which threads synchronize. */
export interface StoryChange {
  readonly by: FindingLabel;
  /** Equal for changes of one word. */
  readonly word: string;
  readonly place: WordMeaning;
  readonly value: bigint | undefined;
  /** Counts the events of the world. */
  readonly number: number;
  /** The address of the first byte that its operation of the network writes, if it is known. */
  readonly target?: number | undefined;
}

/** A wait, or an ordered read of such a word. */
export interface StoryWait {
  readonly by: FindingLabel;
  readonly word: string;
  readonly place: WordMeaning;
  /** The value with which it went on. */
  readonly value: bigint | undefined;
  readonly number: number;
  /** True if it is in a barrier, as its author wrote it. */
  readonly isBarrier: boolean;
  /** True if its line comes before the access of its side. */
  readonly isAbove: boolean;
  /** True if it is known to be ordered before the access of its side. */
  readonly isMet: boolean;
  /** True if it ended because its time limit had expired. */
  readonly gaveUp: boolean;
  /** The change that it read. Absent for the first contents of the word. */
  readonly read: StoryChange | undefined;
}

/**
 * One of two racing accesses, with what its CTA did in the same launch. For an operation of the
 * network, it is the CTA that posted it.
 */
export interface StorySide {
  readonly label: FindingLabel;
  /** For an operation of the network: the address of its first target byte, if it is known. */
  readonly target?: number | undefined;
  /** The waits before the access, the oldest first. */
  readonly waits: readonly StoryWait[];
  /** The waits after it. */
  readonly late: readonly StoryWait[];
  /**
   * The reads of words before the access, if threads may miss what others have written. Empty
   * in runs in which a read always sees the last write.
   */
  readonly looks: readonly StoryWait[];
  /** The changes of words before it and after it. An operation's own signal comes after it. */
  readonly earlier: readonly StoryChange[];
  readonly later: readonly StoryChange[];
}

/**
 * Why the nearest synchronization does not order `first` before `second`.
 *
 * - `low`: the wait is satisfied before the change that comes after the first access.
 * - `stale`: the same, by a value that an earlier launch has left.
 * - `initial`: the same, by the first contents of the word.
 * - `again`: the same, by a value that the first side writes twice in one launch.
 * - `crossed`: each side changes a word and then reads that of the other, and neither has seen the
 *   change of the other.
 * - `reuse`: the first side has waited for the second, which goes on to the next round without
 *   waiting for the first.
 * - `weak`: the wait is for the right change, but one of the two has too weak an order.
 * - `threads`: another thread of the second side waits, and the two do not meet.
 * - `ahead`: another thread of the first side tells the second, before the first access is over.
 * - `before`: what the second side waits for comes before the first access.
 * - `after`: the wait comes after the second access.
 * - `link`: the wait is for another party, which has learned of the first access by a link with too
 *   weak an order.
 * - `unawaited`: the first side tells the second, which does not wait for that.
 * - `unlocked`: both sides take one lock, and the first access comes after its thread has given the
 *   lock back.
 * - `uncovered`: the first access is an operation of the network. The wait is for a signal, a store
 *   or a barrier of its rank that comes after it, but does not cover it.
 * - `launches`: neither launch synchronizes. An earlier one on the stream of the second waits for
 *   one before that of the first.
 * - `other`: the wait is for another thread, and not for the one with the first access.
 */
export type WhyMissed =
  | 'low'
  | 'stale'
  | 'initial'
  | 'again'
  | 'crossed'
  | 'reuse'
  | 'weak'
  | 'threads'
  | 'ahead'
  | 'before'
  | 'after'
  | 'link'
  | 'unawaited'
  | 'unlocked'
  | 'uncovered'
  | 'launches'
  | 'other';

/** The nearest synchronization between two accesses, and why it does not order them. */
export interface NearMiss {
  readonly why: WhyMissed;
  readonly first: StorySide;
  readonly second: StorySide;
  /** Absent for `unawaited`. */
  readonly wait: StoryWait | undefined;
  /** The change after the first access that ought to have been waited for. */
  readonly change: StoryChange | undefined;
  /** For `link`. */
  readonly link?: StoryLink;
  /** For `crossed`: the change of the second side, and the read of the first that missed it. */
  readonly answer?: { readonly change: StoryChange; readonly look: StoryWait };
}

/** Another party has read a change of the first side before it made the one that was waited for. */
export interface StoryLink {
  readonly change: StoryChange;
  readonly read: StoryWait;
  /** The one of the two that is too weak: it does not release, or not acquire. */
  readonly lacks: 'release' | 'acquire';
}

/** Finds the link between changes, after an access, and the party that made `change`. */
export type FindLink = (changes: readonly StoryChange[], change: StoryChange) => StoryLink | undefined;

/**
 * The order in which two racing accesses were meant, and the synchronization that comes nearest.
 */
export function nearMissOf(now: StorySide, before: StorySide, findLink?: FindLink): NearMiss | undefined {
  const nearer =
    unlocked({ first: before, second: now }) ??
    unlocked({ first: now, second: before }) ??
    crossed({ first: before, second: now }) ??
    announced({ first: before, second: now }) ??
    announced({ first: now, second: before });
  if (nearer !== undefined) return nearer;
  const [first, second] = inMeantOrder(now, before);
  return missOf(first, second, findLink);
}

/** The accesses in the order that the program most likely means. */
function inMeantOrder(now: StorySide, before: StorySide): readonly [StorySide, StorySide] {
  const seen = [before, now] as const;
  const turned = [now, before] as const;
  const launches = launchOf(now) - launchOf(before);
  if (launches !== 0 && !Number.isNaN(launches)) return launches > 0 ? seen : turned;
  // The earlier access waited for a word that the later side changes only after its access, or the
  // later one is an operation whose signal tells the side of the earlier one. That went on too
  // early.
  const isNew = ({ word, by }: StoryChange): boolean =>
    !now.earlier.some((one) => one.word === word && one.by.launch === by.launch);
  const isAwaited = now.later.some(
    (one) => one.by.launch === now.label.launch && isNew(one) && before.waits.some(({ word }) => word === one.word),
  );
  // If both wait for each other afterwards, that says nothing.
  const waitsLate = (one: StorySide, other: StorySide): boolean =>
    one.late.some(({ read, isBarrier }) => !isBarrier && isIn(other.later, read));
  const comesLate = waitsLate(before, now) && (!waitsLate(now, before) || now.waits.length === 0);
  if (isAwaited || comesLate || signalTo(now, before) !== undefined) return turned;
  if (now.waits.length > 0 || before.waits.length === 0) return seen;
  return now.earlier.some((one) => before.waits.some(({ word }) => word === one.word)) ? seen : turned;
}

/** The signal of an operation of the network, which tells the rank of the other side. */
function signalTo({ label, later }: StorySide, other: StorySide): StoryChange | undefined {
  if (label.agent !== 'network' || other.label.agent === 'network') return undefined;
  const own = later.find(
    ({ by, place }) =>
      by.agent === 'network' &&
      by.launch === label.launch &&
      by.place?.span === label.place?.span &&
      'rank' in place &&
      place.rank === other.label.rank,
  );
  return own === undefined || other.waits.some(({ word }) => word === own.word) ? undefined : own;
}

function missOf(first: StorySide, second: StorySide, findLink: FindLink | undefined): NearMiss | undefined {
  const sides = { first, second };
  const nearest = second.waits.toReversed();
  const weak = nearest.find(({ read }) => read !== undefined && first.later.includes(read));
  if (weak?.read !== undefined && isWeak(weak, weak.read)) {
    // No order of a thread's store covers what the network does.
    const isOfThread = first.label.agent === 'network' && weak.read.by.agent === 'thread';
    const why = isOfThread ? 'uncovered' : 'weak';
    return { why, ...sides, wait: weak, change: weak.read };
  }
  // A host waits for what the kernels of its rank have waited for, and for nothing else.
  if (first.label.agent === 'host' || second.label.agent === 'host') return undefined;
  // The end of one launch and the beginning of another are what is missing.
  if (launchOf(first) !== launchOf(second) && !Number.isNaN(launchOf(first))) return again(sides, nearest);
  const inLaunch = nearest.filter(({ by }) => by.launch === second.label.launch);
  const waits = inLaunch.filter((wait) => !wait.isBarrier);
  const late = second.late.filter(({ by, read }) => by.launch === second.label.launch && isIn(first.later, read));
  const ofOther = found(
    'other',
    sides,
    waits.find(
      ({ read }) => read !== undefined && !isParty(read.by, second.label) && !isSameThread(read.by, first.label),
    ),
  );
  const afterwards = found(
    'after',
    sides,
    late.find((wait) => !wait.isBarrier),
  );
  return (
    tooEarly(sides, waits) ??
    linked(sides, waits, findLink) ??
    ofThreads(
      sides,
      [...late, ...waits].filter((wait) => !wait.isBarrier),
    ) ??
    // The first side has told the second already, which waits for something else.
    (isToldBefore(ofOther, afterwards) ? ofOther : afterwards) ??
    unawaited(sides) ??
    uncovered(sides, waits) ??
    found(
      'before',
      sides,
      waits.find(({ read }) => isIn(first.earlier, read)),
    ) ??
    ofOther ??
    uncovered(
      sides,
      inLaunch.filter(({ isBarrier }) => isBarrier),
    ) ??
    found(
      'before',
      sides,
      inLaunch.find(({ read }) => isIn(first.earlier, read)),
    ) ??
    found('after', sides, late[0])
  );
}

type Sides = Pick<NearMiss, 'first' | 'second'>;

/**
 * True if the change that `other` names comes before the one for which the second side waits late.
 */
function isToldBefore(other: NearMiss | undefined, late: NearMiss | undefined): boolean {
  const told = other?.change;
  const read = late?.wait?.read;
  return told !== undefined && read !== undefined && told.word !== read.word && told.number < read.number;
}

/** A wait for another party, which has learned of the first access by too weak a link. */
function linked(sides: Sides, waits: readonly StoryWait[], findLink: FindLink | undefined): NearMiss | undefined {
  const { first } = sides;
  if (findLink === undefined || first.label.agent !== 'thread') return undefined;
  const changes = first.later.filter(({ by }) => by.launch === first.label.launch);
  for (const wait of waits) {
    const { read } = wait;
    if (read === undefined || read.by.agent !== 'thread' || isParty(read.by, first.label)) continue;
    const link = findLink(changes, read);
    if (link !== undefined) return { why: 'link', ...sides, wait, change: read, link };
  }
  return undefined;
}

function found(why: WhyMissed, sides: Sides, wait: StoryWait | undefined): NearMiss | undefined {
  if (wait === undefined) return undefined;
  const { first, second } = sides;
  const later = first.later.filter(
    ({ by, place }) =>
      by.launch === first.label.launch &&
      place.kind !== 'lsaInbox' &&
      (by.agent === 'network' || by.place?.span !== first.label.place?.span),
  );
  const isTold = ({ place }: StoryChange): boolean => 'rank' in place && place.rank === second.label.rank;
  return { why, ...sides, wait, change: later.find(isTold) ?? later[0] };
}

/** The first side makes its access without the lock, which both have taken. */
function unlocked({ first, second }: Sides): NearMiss | undefined {
  const [own, theirs] = [lockOf(first), lockOf(second)];
  if (own === undefined || own.wait.word !== theirs?.wait.word || own.last.value !== own.wait.value) return undefined;
  return { why: 'unlocked', first, second, wait: own.wait, change: own.last };
}

/**
 * A word for which a thread has waited before its access, and which it has then changed to another
 * value, with its last change of the word.
 */
function lockOf({ label, waits, earlier }: StorySide): { wait: StoryWait; last: StoryChange } | undefined {
  const isOwn = ({ by }: StoryWait | StoryChange): boolean => by.thread === label.thread && by.launch === label.launch;
  for (const wait of waits.filter((one) => !one.isBarrier && isOwn(one)).toReversed()) {
    const own = earlier.filter((one) => one.word === wait.word && one.number > wait.number && isOwn(one));
    const [taken, last] = [own[0], own.at(-1)];
    if (last !== undefined && wait.value !== undefined && taken?.value !== undefined && taken.value !== wait.value)
      return { wait, last };
  }
  return undefined;
}

/** Neither side has seen what the other wrote before it looked. */
function crossed({ first, second }: Sides): NearMiss | undefined {
  const isMissed = (own: StoryChange, of: StorySide): StoryWait | undefined =>
    of.looks.find(
      ({ word, number, read, by }) =>
        word === own.word &&
        // A wait that has seen an earlier round may only wait for too little.
        (read === undefined || (by.polls !== true && read.number < own.number)) &&
        of.earlier.some((change) => change.number < number),
    );
  for (const own of first.earlier) {
    const wait = isMissed(own, second);
    if (wait === undefined || own.by.agent !== 'thread') continue;
    for (const change of second.earlier) {
      const look = isMissed(change, first);
      const isCrossed = change.word !== own.word && change.number < wait.number && look !== undefined;
      if (isCrossed && own.number < look.number)
        return { why: 'crossed', first, second, wait, change: own, answer: { change, look } };
    }
  }
  return undefined;
}

/**
 * The first side announces that it is done before it is: between its wait and its access, or by
 * another thread, which runs ahead. The second side waits for that.
 */
function announced({ first, second }: Sides): NearMiss | undefined {
  const { label } = first;
  if (label.agent !== 'thread' || second.label.agent !== 'thread' || label.purpose !== second.label.purpose)
    return undefined;
  const wait = second.waits.findLast(({ read }) => isIn([...first.earlier, ...first.later], read));
  const change = wait?.read;
  if (wait === undefined || wait.isBarrier || change === undefined || !first.earlier.includes(change)) return undefined;
  if (change.by.launch !== label.launch || wait.by.launch !== second.label.launch) return undefined;
  const isOther = change.by.thread !== label.thread;
  if (isOther && isAboveIn(label, change.by)) {
    // Its time shows that the two threads have not met, unless it is of an earlier round.
    const all = [...first.earlier, ...first.later].filter(({ word }) => word === change.word);
    return all.length > 1 ? undefined : { why: 'ahead', first, second, wait, change };
  }
  const own = first.waits.filter(({ by }) => by.launch === label.launch);
  // Within a loop, a wait above the change belongs to the next round, if the access is below both.
  const isNext = ({ by }: StoryWait): boolean => isAboveIn(by, change.by) && isAboveIn(change.by, label);
  const hasWaited = own.some(({ number }) => number < change.number);
  const isOpen = own.some((one) => one.number > change.number && !isNext(one));
  // It waits for the second side only after its access, which ought to come after that.
  const isEarly = first.late.some(({ isAbove, read }) => !isAbove && isIn(second.later, read));
  return hasWaited && !isOpen && !isEarly ? { why: 'before', first, second, wait, change } : undefined;
}

/** A wait for a value that the first side had written before its access too. */
function again(sides: Sides, waits: readonly StoryWait[]): NearMiss | undefined {
  const { first } = sides;
  for (const wait of waits) {
    const { read, isBarrier } = wait;
    if (read?.value === undefined || isBarrier || !first.earlier.includes(read)) continue;
    const change = first.later.find(
      ({ word, value, by }) => word === wait.word && value === read.value && by.launch === first.label.launch,
    );
    if (change !== undefined && read.by.launch === change.by.launch) return { why: 'again', ...sides, wait, change };
  }
  return undefined;
}

/** A wait for a word that the first side changes after its access, which does not need that. */
function tooEarly(sides: Sides, waits: readonly StoryWait[]): NearMiss | undefined {
  const { first, second } = sides;
  for (const wait of waits) {
    const change = first.later.find(({ word, by }) => word === wait.word && by.launch === first.label.launch);
    const { read } = wait;
    if (change === undefined || (read !== undefined && read.number >= change.number)) continue;
    if (read === undefined || read.by.agent === 'host') return { why: 'initial', ...sides, wait, change };
    // It has waited for the first side's last round. Threads that post the same operation in one
    // round are no rounds, nor are operations with other targets.
    const isRound =
      first.label.agent !== 'network' || (read.by.thread === first.label.thread && read.target === first.target);
    if (isRound && read.by.launch === first.label.launch && first.earlier.includes(read))
      return { why: 'reuse', first: second, second: first, wait, change: read };
    return { why: isOlder(read.by, wait.by) ? 'stale' : 'low', ...sides, wait, change };
  }
  return undefined;
}

/** A wait of another thread of the second side, on an earlier line than its access. */
function ofThreads(sides: Sides, waits: readonly StoryWait[]): NearMiss | undefined {
  const { label } = sides.second;
  const wait = waits.find(
    ({ by, read, isAbove, isMet }) =>
      isAbove && !isMet && by.thread !== label.thread && label.agent === 'thread' && isIn(sides.first.later, read),
  );
  return wait === undefined ? undefined : { why: 'threads', ...sides, wait, change: wait.read };
}

function unawaited(sides: Sides): NearMiss | undefined {
  const change = signalTo(sides.first, sides.second);
  return change === undefined ? undefined : { why: 'unawaited', ...sides, wait: undefined, change };
}

/**
 * A wait for what the rank of an operation did after it, which says nothing of the operation. It is
 * the signal of another operation, or a barrier.
 */
function uncovered(sides: Sides, waits: readonly StoryWait[]): NearMiss | undefined {
  const { first } = sides;
  if (first.label.agent !== 'network') return undefined;
  const wait = waits.find(({ read }) => isIn(first.later, read));
  return wait === undefined ? undefined : { why: 'uncovered', ...sides, wait, change: wait.read };
}

function isIn(changes: readonly StoryChange[], read: StoryChange | undefined): boolean {
  return read !== undefined && changes.includes(read);
}

/** True if a change that was waited for does not release, or its wait does not acquire. */
function isWeak({ by }: StoryWait, change: StoryChange): boolean {
  const isPlain = change.by.agent === 'thread' && change.by.access === undefined;
  const written = isPlain ? 'relaxed' : change.by.access?.order;
  return written === 'relaxed' || written === 'acquire' || by.access?.order === 'relaxed';
}

function isParty(a: FindingLabel, b: FindingLabel): boolean {
  return a.launch === b.launch && isSameCta(a, b);
}

/** A wait for a change of the very thread is for no other one, whatever it orders. */
function isSameThread(a: FindingLabel, b: FindingLabel): boolean {
  return isParty(a, b) && a.thread === b.thread;
}

function isOlder(a: FindingLabel, b: FindingLabel): boolean {
  return numberOf(a.purpose) < numberOf(b.purpose);
}

export function launchOf({ label }: StorySide): number {
  return numberOf(label.purpose);
}

/** The number of a launch on its rank, from `launch 2` or `launch 2 of 3`. */
function numberOf(purpose: string | undefined): number {
  const [, digits] = /\blaunch (\d+)/.exec(purpose ?? '') ?? [];
  return digits === undefined ? Number.NaN : Number(digits);
}
