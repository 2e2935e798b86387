import {
  describeWord,
  type Finding,
  type FindingBytes,
  type FindingLabel,
  type LocatedWord,
  type MissingIngredient,
  type ScheduleId,
} from '@nccl-ts/findings';
import { missingAliasFence, wordsFor } from './source-words.ts';
import type { Seen } from '@nccl-ts/memory-model';
import { fenceSide } from './fence-text.ts';
import { ingredientsOf } from './ingredient-text.ts';
import { BULK } from './episodes.ts';
import { FABRIC, type Participants } from './participants.ts';

export interface FindingContext {
  readonly participants: Participants;
  readonly schedule: ScheduleId;
  readonly strict: boolean;
  /** Returns the window at a heap address; `undefined` if there is none. */
  readonly locate: (address: number) => LocatedWord | undefined;
}

/**
 * Converts an observation of the checker to a finding. With `isShared`, the address is an offset
 * into a CTA's shared memory.
 */
export function seenFinding(seen: Seen, isShared: boolean, context: FindingContext): Finding {
  const { participants, schedule } = context;
  const now = participants.label(seen.now);
  const bytes = bytesOf(seen, isShared, context.locate);
  if (seen.kind === 'uninitialised') {
    const first = seen.before === undefined ? undefined : participants.label(seen.before);
    return Object.freeze({
      ...(first === undefined ? unwritten(now, isShared, context.strict) : beforeFirstWrite({ now, first })),
      kind: 'uninitialised',
      labels: Object.freeze(first === undefined ? [now] : [now, first]),
      bytes,
      certainty: 'this schedule',
      schedule,
    } satisfies Finding);
  }
  const before = participants.label(seen.before);
  const labels = Object.freeze([now, before]);
  if (seen.kind === 'proxy')
    return Object.freeze({ ...proxyFinding(seen.proxy, { now, before }, bytes, isShared, context.strict), schedule });
  return Object.freeze({
    kind: 'race',
    severity: 'error',
    message: `${articled(now)} and ${articled(before)} of the same bytes are not ordered`,
    labels,
    bytes,
    missing: ingredientsOf(
      now,
      before,
      seen.missing.map(({ reason, at }) => {
        const label = at === undefined ? undefined : participants.label(at);
        if (at === undefined) return { reason };
        if (reason === 'release') return { reason, at: label, fence: participants.earlyFence(at, seen.before) };
        const fence = reason === 'scope' ? participants.fenceBeside(at, fenceSide(label)) : undefined;
        return { reason, at: label, fence };
      }),
      { isShared, overlap: participants.streams.overlap },
    ),
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}

/** A read of bytes that were never written, with the store that it lacks in a shared array. */
function unwritten(
  now: FindingLabel,
  isShared: boolean,
  strict: boolean,
): Pick<Finding, 'severity' | 'message' | 'missing'> {
  const missing = Object.freeze(isShared ? [firstStore(now)] : []);
  return { ...uninitialised(isShared, strict), missing };
}

/** Names the store that a read of a shared array lacks. */
function firstStore(now: FindingLabel): MissingIngredient {
  const { ctaSync, isCuda } = wordsFor(now);
  const copies = isCuda
    ? '; what cp.async or a bulk copy brings is there only after cp.async.wait_all, or after the wait for its mbarrier'
    : '';
  return Object.freeze({
    kind: 'synchronisation',
    message: `store to these bytes first. If another thread does, a ${ctaSync} is missing after its store and before this read${copies}`,
  });
}

/** The weight and the words of a read of bytes that were never written. */
export function uninitialised(isShared: boolean, strict: boolean): Pick<Finding, 'severity' | 'message'> {
  // Windows are zero-filled, so a read there has a known value. Shared arrays may hold anything.
  return isShared
    ? { severity: 'error', message: 'a read of a shared array that was never written' }
    : {
        severity: strict ? 'error' : 'note',
        message: 'a read of memory that was never written since its allocation',
      };
}

/** The weight and the words of a wait that may read a shared array before its first write. */
export function beforeFirstWrite({
  now,
  first,
}: Readonly<Record<'now' | 'first', FindingLabel>>): Pick<Finding, 'severity' | 'message' | 'missing'> {
  const { ctaSync } = wordsFor(now);
  return {
    severity: 'error',
    message: `a wait may begin before the first ${first.does.startsWith('store') ? 'store to' : 'write of'} its word in a shared array, which may hold anything until then`,
    missing: Object.freeze([
      Object.freeze({
        kind: 'synchronisation',
        message: `give the word its first value before any thread waits for it: a ${ctaSync} is missing in between`,
      }),
    ]),
  };
}

/** The finding of a race with a put for which the thread waits only after its access. */
export function beforeItsWait(finding: Finding): Finding {
  const [now, before] = finding.labels;
  if (now === undefined || before === undefined) return finding;
  return Object.freeze({ ...finding, missing: ingredientsOf(now, before, [{ reason: 'overwrite' }]) });
}

/** Two proxies access the same bytes, one after the other. */
export function proxyFinding(
  proxy: Proxy,
  { now, before }: { readonly now: FindingLabel; readonly before: FindingLabel },
  bytes: FindingBytes,
  isShared: boolean,
  strict: boolean,
): Omit<Finding, 'schedule'> {
  const isBulk = proxy === 'async';
  const isFabric = [now, before].some(({ does }) => does.startsWith(FABRIC));
  const areCopies = [now, before].every(({ does }) => does.endsWith(BULK));
  // In shared memory, both directions fail on hardware, even with an mbarrier in between
  // (NVIDIA/nccl-extensions#8). A copy takes the bytes as they were before a thread's write, or
  // overwrites bytes that a thread still reads. In global memory neither has been reported.
  const isHarmful = isBulk && isShared;
  return {
    kind: 'proxy',
    severity: strict || isHarmful || proxy === 'fabric' ? 'error' : 'model',
    message: isFabric && isBulk ? sharedByFabric : areCopies ? copiesOfBlocks : proxyMessage(proxy, isHarmful),
    labels: Object.freeze([now, before]),
    bytes,
    missing: Object.freeze([
      Object.freeze({
        kind: 'proxy-fence',
        message: isFabric && isBulk ? sharedFence : areCopies ? fenceOfCopies : missingFence(proxy, now, before),
        at: before,
      } satisfies MissingIngredient),
    ]),
    certainty: 'this schedule',
  };
}

type Proxy = Extract<Seen, { readonly kind: 'proxy' }>['proxy'];

function missingFence(proxy: Proxy, ...labels: readonly FindingLabel[]): string {
  switch (proxy) {
    case 'alias':
      return missingAliasFence(...labels);
    case 'async':
      return 'fence.proxy.async is missing between the two, preferably in the earlier thread, before the threads synchronize';
    case 'fabric':
      return "a fence of the fabric proxy is missing between the two: memFence or fenceProxy('fabric', …), with a release after the earlier access and an acquire before the later one";
  }
}

const sharedByFabric =
  'a fabric operation and a thread access the same shared memory, with no fence of block scope in between';
const sharedFence =
  "memFence(coop, 'release', 'generic', 'fabric', 'block') is missing between the two, after the earlier one";

const copiesOfBlocks =
  'bulk copies of two blocks access the same bytes, with no fence.proxy.async in between; GPUs are not known to mix them up in global memory, once a flag has ordered them';
const fenceOfCopies =
  'fence.proxy.async is missing between the two, after the wait for the earlier copy and before the later one';

function proxyMessage(proxy: Proxy, isHarmful: boolean): string {
  if (proxy === 'fabric')
    return 'the same bytes are accessed through a logical endpoint and in another way, with no fence of the fabric proxy in between';
  if (proxy === 'alias')
    return 'the same bytes are accessed through a multicast address and through their own, with no proxy fence in between';
  const both = 'a bulk copy and a thread access the same bytes, with no fence.proxy.async in between';
  if (isHarmful) return both;
  return `${both}; GPUs are not known to mix them up in global memory, once a flag has ordered them`;
}

function articled({ does }: FindingLabel): string {
  return does.startsWith('a ') ? does : `${/^[aeiou]/.test(does) ? 'an' : 'a'} ${does}`;
}

/** Names the bytes in question. */
export function bytesOf({ address, bytes }: Seen, isShared: boolean, locate: FindingContext['locate']): FindingBytes {
  const word = { address, region: 0, space: isShared ? 'shared' : 'global', type: 'u32', value: 0 } as const;
  return Object.freeze({ place: describeWord(word, () => locate(address)), bytes });
}
