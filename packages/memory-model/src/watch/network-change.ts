import type { Clock, Snapshot } from './clock.ts';
import type { Determinacy } from './determinacy.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { Published } from './published.ts';
import type { LoggedRead } from './word-log.ts';

/** What a change of a word by the network hands on to those who read it. */
export interface NetworkChange {
  /** True if it comes after all earlier changes of the word by the same agent. */
  readonly inOrder?: boolean;
  /** Where the word says how many requests of a queue are done: who made the one that is. */
  readonly request?: LoggedRead | undefined;
  /** All that was before the request was posted. */
  readonly posted?: Snapshot | undefined;
  acquired?: Clock | undefined;
  consumed?: Clock | undefined;
  settled?: Clock | undefined;
  /**
   * What of `settled` makes a difference to who does not learn of the change by it; absent: all.
   */
  matters?: Clock | undefined;
}

type Got = 'acquired' | 'always' | 'settled';

/** What the network publishes by a change, `made` of these clocks. */
export function publishedClocks(
  group: GroupClocks,
  clocks: Readonly<Record<Got, Clock | undefined>>,
  made: (clock: Clock) => Clock,
): readonly Published[] {
  return (['acquired', 'always', 'settled'] as const).flatMap((got) => {
    const clock = clocks[got];
    return clock === undefined ? [] : [publishedBy(group, made(clock), got)];
  });
}

export function publishedBy(group: GroupClocks, clock: Clock, got: Got): Published {
  clock.prune();
  clock.shared = true;
  const snapshot: Snapshot = { base: clock, extra: undefined, who: group.whoBase, bound: 0 };
  return { snapshot, width: 4, by: group.place(0), ...(got === 'acquired' ? {} : { got }) };
}

/**
 * What whoever reads a write of the thread knows in any case, where somebody counts: which waits
 * were passed.
 */
export function waitsBefore(
  determinacy: Determinacy | undefined,
  group: GroupClocks,
  thread: number,
): readonly Published[] {
  const waits = determinacy?.waitsBefore(group, thread);
  return waits === undefined || waits.parts.size === 0 ? [] : [publishedBy(group, waits, 'always')];
}
