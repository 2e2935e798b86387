import { SYSTEM } from '../scope.ts';
import { AGENT_THREADS, Clock, whoIs, type Who } from './clock.ts';
import { joinSnapshot, overSnapshot, type Snapshot } from './snapshot.ts';
import type { Determinacy } from './determinacy.ts';
import type { GroupClocks } from './group-clocks.ts';
import { adds, stores, type LoggedChange } from './logged-change.ts';
import type { Published } from './published.ts';
import type { LoggedRead } from './word-log.ts';

/** The clocks that a change of a word by the network passes to its readers. */
export interface NetworkChange {
  /** True if it sets the word, and false if it adds to it. */
  readonly sets?: boolean;
  /** True if it comes after all earlier changes of the word by the same agent. */
  readonly inOrder?: boolean;
  /**
   * If the word counts the finished requests of a queue: the poster of the request that has
   * finished.
   */
  readonly request?: LoggedRead | undefined;
  /** Everything before the request was posted. */
  readonly posted?: Snapshot | undefined;
  /** The loads that had finished when the request was posted, if the order of GPUs counts. */
  readonly over?: Snapshot | undefined;
  /** Covers the sources that the network has read when the change is seen. */
  readonly sources?: Clock | undefined;
  acquired?: Clock | undefined;
  consumed?: Clock | undefined;
  settled?: Clock | undefined;
  /**
   * The part of `settled` that matters to threads that do not learn of the change through it. If
   * absent, all of it does.
   */
  matters?: Clock | undefined;
}

type Got = 'acquired' | 'always' | 'settled';

/** Joins into `clocks` what the earlier changes of the word, which this one continues, publish. */
export function continueChanges(clocks: Record<Got, Clock | undefined>, earlier: readonly Published[] = []): void {
  for (const { snapshot, got = 'acquired' } of earlier) joinSnapshot((clocks[got] ??= new Clock(0)), snapshot);
}

/** The clocks that the network publishes by a change, computed from these clocks. */
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

function publishedBy(group: GroupClocks, clock: Clock, got: Got): Published {
  clock.prune();
  clock.shared = true;
  const snapshot: Snapshot = { base: clock, extra: undefined, who: group.whoBase, bound: 0 };
  return { snapshot, width: SYSTEM, by: group.coordinates(0), ...(got === 'acquired' ? {} : { got }) };
}

/** All events that precede such a change. */
export function beforeChange(group: GroupClocks, clocks: Readonly<Record<Got, Clock | undefined>>): Snapshot {
  const before = new Clock(0);
  for (const clock of Object.values(clocks)) if (clock !== undefined) before.join(clock);
  before.shared = true;
  return { base: before, extra: undefined, who: group.whoBase, bound: 0 };
}

/** The loads that have finished when such a change is seen. It may continue earlier changes. */
export function overOfChange({ over, sources }: NetworkChange, continued: Snapshot | undefined): Snapshot | undefined {
  return over === undefined ? continued : overSnapshot(over, sources, continued);
}

/** How a change by the network counts, and its writer. */
export function changeByNetwork(
  group: GroupClocks,
  { sets = false }: NetworkChange,
): LoggedChange & { readonly who: Who } {
  // Two requests of a queue that set a word are in no order, so they count as two writers.
  return sets ? { ...stores, who: whoIs(group.agent, group.stamp % AGENT_THREADS) } : { ...adds, who: group.whoBase };
}

/** The puts that arrive before a write of a thread, as the write publishes them. */
export function deliveredBy(group: GroupClocks, clock: Clock | undefined): readonly Published[] {
  return clock === undefined ? [] : [publishedBy(group, clock, 'acquired')];
}

/** The waits passed before. Every reader of the thread's writes is ordered after them. */
export function waitsBefore(
  determinacy: Determinacy | undefined,
  group: GroupClocks,
  thread: number,
): readonly Published[] {
  const waits = determinacy?.waitsBefore(group, thread);
  return waits === undefined || waits.parts.size === 0 ? [] : [publishedBy(group, waits, 'always')];
}
