import type { FindingLabel, MissingIngredient, MissingKind } from '@nccl-ts/findings';
import { earlyFenceText, narrowFenceText } from './fence-text.ts';
import { ctaText, isSameCta } from './cta-text.ts';
import { ASYNC, BULK, readsSource } from './episodes.ts';
import { FABRIC } from './participants.ts';
import type { OverlapOf } from './stream-places.ts';
import { missingAliasFence, syncOf, wordsFor } from './source-words.ts';
import { overlapText } from './overlap-text.ts';
import { orderText, weakOrderText } from './weak-order-text.ts';
import type { Missing } from '@nccl-ts/memory-model';

/** The reason, as given by either engine, why two accesses are not ordered. */
export type MissingReason = Missing['reason'];

/** A reason and its location. `at` has a source location, or only a thread. */
export interface Shortcoming {
  readonly reason: MissingReason;
  readonly at?: FindingLabel | undefined;
  /**
   * For `scope`: the fence on the other side of the access, which it ought to help. For `release`:
   * the fence that stands before the earlier access too.
   */
  readonly fence?: FindingLabel | undefined;
}

const kinds: Readonly<Record<MissingReason, MissingKind>> = {
  release: 'release',
  acquire: 'acquire',
  scope: 'scope',
  'coop-sync': 'coop-sync',
  strong: 'strong',
  completion: 'completion',
  overwrite: 'synchronisation',
  synchronisation: 'synchronisation',
  proxy: 'proxy-fence',
};

/** The properties of a race besides the labels of its accesses. */
export interface RaceSurroundings {
  /** True if the accesses are to shared memory. */
  readonly isShared?: boolean;
  /** Why their launches may run at the same time. */
  readonly overlap?: OverlapOf;
}

/**
 * The missing synchronization between two racing accesses, in the form that both engines use. The
 * nearest reason comes first.
 */
export function ingredientsOf(
  now: FindingLabel,
  before: FindingLabel,
  shortcomings: readonly Shortcoming[],
  surroundings: RaceSurroundings = {},
): readonly MissingIngredient[] {
  const polled = polledWord(now, before);
  if (polled !== undefined) return Object.freeze([polled]);
  return Object.freeze(
    withoutSizes(now, before, shortcomings).map(({ reason: given, at, fence }) => {
      // Without a thread that waited, threads that meet are not what is missing. But the thread
      // that posts an operation has to meet the one that stores its source.
      const isPosted = given === 'coop-sync' && at === undefined && [now, before].some(isWriting);
      // No order of the other access makes the network's read of its source a part of a flag.
      const isSource = given === 'strong' && [now, before].some(readsSource) && isOneOf(at, now, before);
      const reason = isPosted || isSource ? 'completion' : given;
      const early = reason === 'release' ? earlyFenceText(now, before, fence) : '';
      const text = reason === 'scope' ? narrowFenceText(now, before, at, fence) : undefined;
      return ingredient(
        kinds[reason],
        text ?? `${sentence(reason, now, before, at, surroundings)}${early}`,
        text === undefined ? at : fence,
      );
    }),
  );
}

/** True for an operation of the network that does not read its source. */
function isWriting(label: FindingLabel): boolean {
  return label.agent === 'network' && !readsSource(label);
}

function ingredient(kind: MissingKind, message: string, at: FindingLabel | undefined): MissingIngredient {
  return Object.freeze({ kind, message, ...(at?.place === undefined ? {} : { at }) });
}

/** A word on which a thread waits with plain reads, or which is written by plain stores. */
function polledWord(now: FindingLabel, before: FindingLabel): MissingIngredient | undefined {
  const poll = [now, before].find((label) => label.polls === true);
  const write = poll === now ? before : now;
  if (poll === undefined || (poll.access !== undefined && write.access !== undefined)) return undefined;
  if (write.agent === 'network') return undefined;
  const which = poll.access !== undefined ? write : poll;
  const both = poll.access === undefined && write.access === undefined;
  const message = both
    ? 'a thread waits for this word, but both its accesses are plain: load it with acquire, store it with release'
    : poll.access === undefined
      ? 'a thread waits for this word with a plain load: load it with acquire'
      : 'a thread waits for this word, but it is written with a plain store: store it with release';
  return ingredient('strong', message, which);
}

/** The network overwrites bytes that a thread of its target still reads or writes. */
function overwritingText(now: FindingLabel, before: FindingLabel): string {
  const [network, thread] = now.agent === 'network' ? [now, before] : [before, now];
  const [operation = 'operation'] = network.does.split(' ');
  return (
    `the ${operation} of rank ${network.rank} does not wait until rank ${thread.rank} is done with these bytes: rank ${thread.rank} must announce ` +
    `that with a signal or a barrier, and rank ${network.rank} must wait for it before the ${operation}`
  );
}

/** A thread accesses bytes of an operation of the network before that is known to be over. */
function completionText(now: FindingLabel, before: FindingLabel): string {
  const [network, thread] = now.agent === 'network' ? [now, before] : [before, now];
  const [operation = 'operation'] = network.does.split(' ');
  const whose = `the ${operation} of rank ${network.rank}`;
  const { sourceWait, flush } = wordsFor(network, thread);
  if (readsSource(network) && thread.rank === network.rank)
    return `no wait covers the network operation: ${whose} may still read its source, so ${sourceWait} is missing between it and the ${thread.does}. A wait at the target, for its signal, says nothing of the source`;
  if (operation === 'get' && readsSource(network))
    return `no wait covers the network operation: ${whose} may still read its source in the memory of rank ${thread.rank}. Let rank ${network.rank} wait for it with ${flush}, and only then tell rank ${thread.rank}, by a signal or a barrier. A barrier with a fence of gets waits for them only after it has told its peers`;
  if (operation === 'get')
    return `no wait covers the network operation: ${whose} brings its bytes later, so ${flush} is missing between it and the ${thread.does}`;
  return `no wait covers the network operation: rank ${thread.rank} does not wait for ${whose} before the ${thread.does}. Let ${whose} carry a signal, and rank ${thread.rank} wait for that`;
}

/** Two network operations access the same bytes in any order. */
function twoOperationsText(now: FindingLabel, before: FindingLabel): string {
  const [later = '', earlier = ''] = [now, before].map(({ does }) => does.split(' ')[0]);
  if (
    isSameLaunch(now, before) &&
    isSameCta(now, before) &&
    isSameLocation(now, before) &&
    now.thread !== before.thread
  )
    return (
      `${threadText(before)} and ${threadText(now)} of one CTA each post this ${later}, and nothing orders them: let one thread post it, ` +
      `or the whole CTA at once (${wordsFor(now, before).wholeCta}), or give each thread bytes of its own`
    );
  const both =
    now.rank === before.rank
      ? `two operations of rank ${now.rank}`
      : `the ${earlier} of rank ${before.rank} and the ${later} of rank ${now.rank}`;
  return (
    `nothing orders ${both}: use another buffer for one of them, or wait for the first (by its signal with acquire, or by a flush and ` +
    'a barrier of the ranks) before the second is posted'
  );
}

/**
 * If neither access is a flag, a plain access need not become strong. The data must be ordered
 * instead.
 */
function withoutSizes(
  now: FindingLabel,
  before: FindingLabel,
  shortcomings: readonly Shortcoming[],
): readonly Shortcoming[] {
  const isFlag =
    now.polls === true || before.polls === true || (now.access !== undefined && before.access !== undefined);
  const rest = shortcomings.filter(({ reason, at }) => reason !== 'strong' || !isOneOf(at, now, before));
  return isFlag || rest.length === 0 ? shortcomings : rest;
}

function isOneOf(at: FindingLabel | undefined, now: FindingLabel, before: FindingLabel): boolean {
  return at !== undefined && [now, before].some((label) => isSameLocation(at, label));
}

export function isSameLocation(a: FindingLabel, b: FindingLabel): boolean {
  const [p, q] = [a.place, b.place];
  return a.rank === b.rank && p?.span.source === q?.span.source && p?.span.start === q?.span.start;
}

/** Describes the missing synchronization between `before` and `now`. */
function sentence(
  reason: MissingReason,
  now: FindingLabel,
  before: FindingLabel,
  at: FindingLabel | undefined,
  { isShared = false, overlap }: RaceSurroundings,
): string {
  switch (reason) {
    case 'synchronisation':
      // Only CTAs of one cluster access the same shared memory.
      if (isShared && at !== undefined && !isSameCta(now, before))
        return `${threadText(at)} of ${ctaText(before)} arrives at the barrier of the cluster, or releases its flag, before the ${before.does}: a ${before.does} between barrier.cluster.arrive and barrier.cluster.wait is not covered. Put it before the arrival`;
      if (isShared && !isSameCta(now, before))
        return 'a barrier of the cluster, or a flag that is released and acquired at cluster scope, is missing between them';
      return overlapText(now, before, overlap) ?? `${nothingText(now, before)}${oneStatementText(now, before)}`;
    case 'release':
      return weakOrderText(at, 'release', isInOneGpu(now, before));
    case 'acquire':
      return weakOrderText(at, 'acquire', isInOneGpu(now, before));
    case 'scope':
      return `${scopeText(now, before, at)}${clusterText(at, now, before)}`;
    case 'strong':
      if ([now, before].some(({ does }) => does.startsWith('gin.reset')))
        return 'a reset and a signal of a peer come in either order, and the reset may erase the signal: let no peer signal until the reset is over, or do not reset, and wait for a value that grows';
      return isOneOf(at, now, before)
        ? 'the two accesses have different sizes, or one of them is plain: a flag needs ordered accesses of one size on both sides'
        : 'the flag between them is written and read in different sizes, or not by ordered accesses on both sides';
    case 'coop-sync':
      return meetingText(now, before, at);
    case 'completion':
      if (now.does.endsWith(BULK) && !before.does.endsWith(BULK))
        return `the ${before.does} comes before the bulk copy is over, and nothing else has written these bytes: wait for the mbarrier of the copy, whose expect_tx counts the bytes of all copies of its phase`;
      if (before.does.endsWith(ASYNC))
        return 'no wait for the asynchronous access is ordered before this one: wait for its mbarrier, or for cp.async with cp.async.wait_group (with n, the newest n groups may still run)';
      if (before.does.endsWith(BULK) && at !== undefined && !isSameLocation(at, before))
        return `the ${at.does} of ${threadText(at)}, which this side has read, comes after no wait for the bulk copy: let ${threadText(at)} wait for it before that (its mbarrier, or cp.async.bulk.wait_group; with .read, it may still write), or meet the thread that has waited`;
      if (before.does.endsWith(BULK))
        return `no wait for the bulk copy is ordered before this access: wait for its mbarrier${before.does.startsWith('store') ? ', whose expect_tx counts its bytes too' : ''}, or with cp.async.bulk.wait_group (with .read, it may still write)`;
      if (now.does.startsWith(FABRIC) || before.does.startsWith(FABRIC))
        return 'no wait covers the fabric operation: flush is missing (flushSmem, if only its source matters), or a wait for all bytes of its counter, or an acquire after that wait';
      if (now.agent === 'network' && before.agent === 'network') return twoOperationsText(now, before);
      return completionText(now, before);
    case 'overwrite':
      return overwritingText(now, before);
    case 'proxy':
      return missingAliasFence(now, before);
  }
}

/** True if the scope of one GPU is enough. */
function isInOneGpu(now: FindingLabel, before: FindingLabel): boolean {
  return [now, before].every(({ agent, rank }) => agent === 'thread' && rank === now.rank);
}

/** The reach of cluster scope, if it is one of the scopes. */
function clusterText(...labels: readonly (FindingLabel | undefined)[]): string {
  return labels.some((label) => label?.access?.scope === 'cluster')
    ? '; cluster scope includes only the CTAs of one cluster'
    : '';
}

function meetingText(now: FindingLabel, before: FindingLabel, other: FindingLabel | undefined): string {
  if (other === undefined) {
    const both =
      now.thread === undefined || before.thread === undefined || now.thread === before.thread
        ? 'both are threads of one CTA that do not synchronize in between'
        : `${threadText(before)} and ${threadText(now)} of one CTA do not synchronize in between`;
    return `${both}: a ${syncOf(now, before)} is missing${oneStatementText(now, before)}`;
  }
  if ([BULK, ASYNC].some((by) => now.does.endsWith(by)))
    return `${threadText(now)}, which makes the ${now.does}, has not met ${threadText(before)} since its ${before.does}: a ${syncOf(now, before)} is missing between the two`;
  if (isSameLaunch(other, now) && isSameCta(other, now) && other.thread === now.thread)
    return `${threadText(now)} meets other threads between the two, but not ${threadText(before)}: let both come to one barrier, such as a ${syncOf(now, before)} outside of branches`;
  if (isSameLaunch(other, now) && isSameCta(other, now)) {
    return `${threadText(other)} of the CTA is ordered after it, but ${threadText(now)} has not synchronized with that thread since: a ${syncOf(now, other)} is missing before the ${now.does}`;
  }
  return `${threadText(other)} of that CTA released, but ${threadText(before)} did not synchronize with it before: a ${syncOf(before, other)} is missing after the ${before.does}`;
}

/** A doubt about two stores of one launch by one statement: they may be meant for other bytes. */
export function oneStatementText(now: FindingLabel, before: FindingLabel): string {
  const [one, other] = [now, before].map(({ place }) => place?.span);
  const isOne = one !== undefined && one.source === other?.source && one.start === other.start;
  return isOne && now.purpose === before.purpose && [now, before].every(({ does }) => does === 'store')
    ? '. If only one of them is to store there, a condition, an index, an offset or a size is wrong'
    : '';
}

/** No synchronization leads from one side to the other. */
function nothingText(now: FindingLabel, before: FindingLabel): string {
  if (now.agent === 'host' || before.agent === 'host') return hostText(now, before);
  const { rank: a } = before;
  const { rank: b } = now;
  if (a !== b && now.purpose !== before.purpose && now.purpose !== undefined && before.purpose !== undefined) {
    const [late, early] = launchNumber(now) < launchNumber(before) ? [before, now] : [now, before];
    return (
      `nothing lets ${late.purpose} of rank ${late.rank} wait for ${early.purpose} of rank ${early.rank}: a barrier of the ranks is ` +
      'missing at the end of the kernel, or at its beginning before the bytes are used again; or use two buffers by turns'
    );
  }
  // If nothing at all connects the two, the load is most likely meant to see the store.
  const isEarlyLoad = before.does === 'load' && now.does === 'store';
  const [first, second] = isEarlyLoad ? [now, before] : [before, now];
  const flag = (here: string, there: string): string =>
    `that ${here} releases after its ${first.does} and ${there} acquires before its ${second.does}`;
  if (a !== b && isOtherCta(first, second)) {
    const [here, there] = [`${ctaText(first)} of rank ${first.rank}`, `${ctaText(second)} of rank ${second.rank}`];
    return (
      `nothing orders ${here} before ${there}: a barrier with an index for each CTA orders only CTAs of the same index. A barrier of all CTAs of ` +
      `the ranks is missing between them, or a flag ${flag(here, there)}`
    );
  }
  if (a !== b) {
    const [here, there] = [`rank ${first.rank}`, `rank ${second.rank}`];
    return `nothing orders ${here} before ${there}: a barrier of the ranks is missing between them, or a flag ${flag(here, there)}`;
  }
  if (isSameLaunch(now, before) && !isSameCta(now, before)) {
    const [here, there] = [ctaText(first), ctaText(second)];
    return `nothing orders ${here} before ${there}: a flag is missing ${flag(here, there)}, or a barrier of the grid`;
  }
  return 'a barrier, or a flag that is released and acquired, is missing between them';
}

/** True for two CTAs with different indices. */
function isOtherCta(one: FindingLabel, other: FindingLabel): boolean {
  return one.blockIdx !== undefined && other.blockIdx !== undefined && ctaText(one) !== ctaText(other);
}

/** The number in `launch 2`, or in `launch 2 of 3`. */
function launchNumber({ purpose = '' }: FindingLabel): number {
  return Number(/\blaunch (\d+)/.exec(purpose)?.[1]);
}

/** A host accesses memory while a kernel, or another host, may. */
function hostText(now: FindingLabel, before: FindingLabel): string {
  const [host, other] = now.agent === 'host' ? [now, before] : [before, now];
  if (other.agent === 'host')
    return 'the hosts do not wait for each other: a call in which all ranks take part is missing between them';
  const first = before === other;
  if (host.rank === other.rank)
    return first
      ? `the host does not wait for the kernel of rank ${other.rank}: synchronize the stream before the ${host.does}`
      : `the kernel of rank ${other.rank} does not wait for the ${host.does}: await it before the launch`;
  return first
    ? `the host of rank ${host.rank} does not wait for the kernel of rank ${other.rank} before the ${host.does}. A barrier of the ranks is missing at the end of the kernel; or that rank must synchronize its stream, and then the hosts meet`
    : host.does === 'host read'
      ? `the host read of rank ${host.rank} and the kernel of rank ${other.rank} come in either order. If the read is to come last, let rank ${host.rank} synchronize the stream of its own launch before it, and the ranks meet at the end of the kernel; if it is to come first, let the hosts meet before the launch`
      : `the kernel of rank ${other.rank} may begin before the ${host.does} of rank ${host.rank}: let the hosts meet before the launch, or a barrier of the ranks in the kernel`;
}

function isSameLaunch(a: FindingLabel, b: FindingLabel): boolean {
  return a.rank === b.rank && a.launch === b.launch;
}

/** Names the thread. Accesses of bulk copies, of the network and of hosts have none. */
function threadText({ thread }: FindingLabel): string {
  return thread === undefined ? 'an access that no thread makes' : `thread ${thread}`;
}

/** The scope of a flag does not reach the other thread. */
function scopeText(now: FindingLabel, before: FindingLabel, at: FindingLabel | undefined): string {
  const needed = now.rank === before.rank ? 'device' : 'system';
  const scope = at?.access?.scope;
  const where = now.rank === before.rank ? 'another CTA' : 'another rank';
  if (scope === undefined || scope === 'system' || scope === needed)
    return `the scopes of the write and the read do not include each other (written ${orderText(at)}): each must include the other thread, in ${where}`;
  const does = at?.does === 'load' ? 'read' : 'written';
  return `it is ${does} ${orderText(at)}, which does not reach ${where}: ${scope === 'block' ? 'block scope is one CTA' : 'device scope is one GPU'}; both the write and its read need ${needed} scope`;
}
