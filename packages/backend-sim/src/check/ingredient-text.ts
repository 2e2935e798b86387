import { ASYNC, BULK, FABRIC } from './participants.ts';
import type { FindingLabel, MissingIngredient, MissingKind } from '@nccl-ts/findings';
import type { Missing } from '@nccl-ts/memory-model';

/** The reason, as given by either engine, why two accesses are not ordered. */
export type MissingReason = Missing['reason'];

/** A reason and its location. `at` has a source location, or only a thread. */
export interface Shortcoming {
  readonly reason: MissingReason;
  readonly at?: FindingLabel | undefined;
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

/**
 * The missing synchronization between two racing accesses, in the form that both engines use. The
 * nearest reason comes first. With `isShared`, the accesses are to shared memory.
 */
export function ingredientsOf(
  now: FindingLabel,
  before: FindingLabel,
  shortcomings: readonly Shortcoming[],
  isShared: boolean = false,
): readonly MissingIngredient[] {
  const polled = polledWord(now, before);
  if (polled !== undefined) return Object.freeze([polled]);
  return Object.freeze(
    withoutSizes(now, before, shortcomings).map(({ reason, at }) =>
      ingredient(kinds[reason], sentence(reason, now, before, at, isShared), at),
    ),
  );
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

/** Two network operations access the same bytes in any order. */
function twoOperationsText(now: FindingLabel, before: FindingLabel): string {
  const [later, earlier] = [now, before].map(({ does }) => does.split(' ')[0]);
  const both =
    now.rank === before.rank
      ? `two operations of rank ${now.rank}`
      : `the ${earlier} of rank ${before.rank} and the ${later} of rank ${now.rank}`;
  return (
    `nothing orders ${both}: use another buffer for one of them, or wait for the first (by its signal, or by a flush and ` +
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

function isSameLocation(a: FindingLabel, b: FindingLabel): boolean {
  const [p, q] = [a.place, b.place];
  return a.rank === b.rank && p?.span.source === q?.span.source && p?.span.start === q?.span.start;
}

/** Describes the missing synchronization between `before` and `now`. */
function sentence(
  reason: MissingReason,
  now: FindingLabel,
  before: FindingLabel,
  at: FindingLabel | undefined,
  isShared: boolean,
): string {
  switch (reason) {
    case 'synchronisation':
      // Only CTAs of one cluster access the same shared memory.
      if (isShared && !isSameCta(now, before))
        return 'a barrier of the cluster, or a flag that is released and acquired at cluster scope, is missing between them';
      return now.rank === before.rank
        ? 'a barrier, or a flag that is released and acquired, is missing between them'
        : 'a barrier between the ranks, or a flag that is released and acquired, is missing between them';
    case 'release':
      return `the value read there was written ${orderText(at)}: that write must release earlier accesses, or follow a fence that does`;
    case 'acquire':
      return `it is read ${orderText(at)}: that read must acquire, or precede a fence that does`;
    case 'scope':
      return `the scopes of the write and the read do not include each other (written ${orderText(at)}): each must include the other thread${clusterText(at, now, before)}`;
    case 'strong':
      return isOneOf(at, now, before)
        ? 'the two accesses have different sizes, or one of them is plain: a flag needs ordered accesses of one size on both sides'
        : 'the flag between them is written and read in different sizes, or not by ordered accesses on both sides';
    case 'coop-sync':
      return meetingText(now, before, at);
    case 'completion':
      if (before.does.endsWith(ASYNC))
        return 'no wait for the asynchronous store is ordered before this access: wait for its mbarrier';
      if (before.does.endsWith(BULK))
        return 'no wait for the bulk copy is ordered before this access: wait for its mbarrier, or with cp.async.bulk.wait_group (with .read, it may still write)';
      if (now.does.startsWith(FABRIC) || before.does.startsWith(FABRIC))
        return 'no wait covers the fabric operation: flush is missing (flushSmem, if only its source matters), or a wait for all bytes of its counter, or an acquire after that wait';
      if (now.agent === 'network' && before.agent === 'network') return twoOperationsText(now, before);
      return 'no wait covers the network operation: no thread waited for a signal, counter or flush that shows that it is complete';
    case 'overwrite':
      return overwritingText(now, before);
    case 'proxy':
      return "fenceProxy('alias') is missing between the two";
  }
}

/** The reach of cluster scope, if it is one of the scopes. */
function clusterText(...labels: readonly (FindingLabel | undefined)[]): string {
  return labels.some((label) => label?.access?.scope === 'cluster')
    ? '; cluster scope includes only the CTAs of one cluster'
    : '';
}

function meetingText(now: FindingLabel, before: FindingLabel, other: FindingLabel | undefined): string {
  if (other === undefined)
    return 'both are threads of one CTA that do not synchronize in between: a coop.sync() is missing';
  if (other.rank === now.rank && other.launch === now.launch && isSameCta(other, now)) {
    return `${threadText(other)} of the CTA is ordered after it, but ${threadText(now)} has not synchronized with that thread since: a coop.sync() is missing`;
  }
  return `${threadText(other)} of that CTA released, but ${threadText(before)} did not synchronize with it before: a coop.sync() is missing`;
}

/** Names the thread. Accesses of bulk copies, of the network and of hosts have none. */
function threadText({ thread }: FindingLabel): string {
  return thread === undefined ? 'an access that no thread makes' : `thread ${thread}`;
}

function isSameCta(a: FindingLabel, b: FindingLabel): boolean {
  return a.blockIdx?.x === b.blockIdx?.x && a.blockIdx?.y === b.blockIdx?.y && a.blockIdx?.z === b.blockIdx?.z;
}

function orderText(label: FindingLabel | undefined): string {
  const access = label?.access;
  return access === undefined ? 'plainly' : `with order ${access.order} at ${access.scope} scope`;
}
