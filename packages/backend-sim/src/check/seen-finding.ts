import {
  describeWord,
  type Finding,
  type FindingBytes,
  type FindingLabel,
  type LocatedWord,
  type MissingIngredient,
  type MissingKind,
  type ScheduleId,
} from '@nccl-ts/findings';
import type { Missing, Seen } from '@nccl-ts/memory-model';
import type { Participants } from './participants.ts';

export interface FindingContext {
  readonly participants: Participants;
  readonly schedule: ScheduleId;
  readonly strict: boolean;
  /** The window that a heap address lies in; `undefined` in none. */
  readonly locate: (address: number) => LocatedWord | undefined;
}

/** What the checker has seen, as a finding. `isShared`: the address is an offset into a CTA's shared memory. */
export function seenFinding(seen: Seen, isShared: boolean, context: FindingContext): Finding {
  const { participants, schedule } = context;
  const now = participants.label(seen.now);
  const bytes = bytesOf(seen, isShared, context.locate);
  if (seen.kind === 'uninitialised') {
    return Object.freeze({
      kind: 'uninitialised',
      // Windows are zero-filled, so what is read there is known; shared arrays hold anything.
      severity: isShared || context.strict ? 'error' : 'note',
      message: isShared
        ? 'a shared array is read where nobody has written it'
        : 'memory is read that nobody has written since it was allocated',
      labels: Object.freeze([now]),
      bytes,
      missing: Object.freeze([]),
      certainty: 'this schedule',
      schedule,
    } satisfies Finding);
  }
  const before = participants.label(seen.before);
  const labels = Object.freeze([now, before]);
  if (seen.kind === 'proxy') {
    return Object.freeze({
      kind: 'proxy',
      severity: context.strict ? 'error' : 'model',
      message:
        'the same bytes are reached through a multicast address and through their own, with no proxy fence between',
      labels,
      bytes,
      missing: Object.freeze([
        Object.freeze({
          kind: 'proxy-fence',
          message: "fenceProxy('alias') is missing between the two",
          at: before,
        } satisfies MissingIngredient),
      ]),
      certainty: 'this schedule',
      schedule,
    } satisfies Finding);
  }
  return Object.freeze({
    kind: 'race',
    severity: 'error',
    message: `${articled(now)} and ${articled(before)} of the same bytes are not ordered`,
    labels,
    bytes,
    missing: Object.freeze(seen.missing.map((one) => ingredient(one, now, before, context))),
    certainty: 'this schedule',
    schedule,
  } satisfies Finding);
}

function articled({ does }: FindingLabel): string {
  return does.startsWith('a ') ? does : `${/^[aeiou]/.test(does) ? 'an' : 'a'} ${does}`;
}

/** The bytes that it is about. */
export function bytesOf({ address, bytes }: Seen, isShared: boolean, locate: FindingContext['locate']): FindingBytes {
  const word = { address, region: 0, space: isShared ? 'shared' : 'global', type: 'u32', value: 0 } as const;
  return Object.freeze({ place: describeWord(word, () => locate(address)), bytes });
}

/** The kind of an ingredient, from why it is missing. */
export const ingredientKinds: Readonly<Record<Missing['reason'], MissingKind>> = Object.freeze({
  release: 'release',
  acquire: 'acquire',
  scope: 'scope',
  'coop-sync': 'coop-sync',
  strong: 'strong',
  completion: 'completion',
  synchronisation: 'synchronisation',
  proxy: 'proxy-fence',
});

function ingredient(
  { reason, at }: Missing,
  now: FindingLabel,
  before: FindingLabel,
  { participants }: FindingContext,
): MissingIngredient {
  const where = at === undefined || at.site < 0 ? undefined : participants.label(at);
  const other = at === undefined ? undefined : participants.label(at);
  return Object.freeze({
    kind: ingredientKinds[reason],
    message: sentence(reason, now, before, where, other),
    ...(where === undefined ? {} : { at: where }),
  } satisfies MissingIngredient);
}

/** What is missing between `before` and `now`, in words. */
export function sentence(
  reason: Missing['reason'],
  now: FindingLabel,
  before: FindingLabel,
  at: FindingLabel | undefined,
  other: FindingLabel | undefined,
): string {
  switch (reason) {
    case 'synchronisation':
      return 'a barrier, or a flag that is released and acquired, is missing between them';
    case 'release':
      return `what is read there was written ${orderText(at)}: it must release what was done before, or a fence before it must`;
    case 'acquire':
      return `it is read ${orderText(at)}: it must acquire, or a fence after it must`;
    case 'scope':
      return `the scopes of the write and the read do not reach each other (written ${orderText(at)}): both must reach the other's thread`;
    case 'strong':
      return 'the flag between them is written and read in different sizes, or not by ordered accesses on both sides';
    case 'coop-sync':
      if (other !== undefined && other.rank === now.rank && other.launch === now.launch && sameCta(other, now)) {
        return `thread ${other.thread ?? 0} of the CTA is ordered after it, and thread ${now.thread ?? 0} has not met that one since: a coop.sync() is missing`;
      }
      if (other !== undefined) {
        return `thread ${other.thread ?? 0} of that CTA released, and thread ${before.thread ?? 0} did not meet it before: a coop.sync() is missing`;
      }
      return 'both are threads of one CTA that did not meet in between: a coop.sync() is missing';
    case 'completion':
      return 'the operation of the network was not waited for, or by a signal, counter or flush that does not cover it';
    case 'proxy':
      return "fenceProxy('alias') is missing between the two";
  }
}

function sameCta(a: FindingLabel, b: FindingLabel): boolean {
  return a.blockIdx?.x === b.blockIdx?.x && a.blockIdx?.y === b.blockIdx?.y && a.blockIdx?.z === b.blockIdx?.z;
}

function orderText(label: FindingLabel | undefined): string {
  const access = label?.access;
  return access === undefined ? 'plainly' : `with order ${access.order} at ${access.scope} scope`;
}
