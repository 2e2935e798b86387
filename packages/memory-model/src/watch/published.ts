import { includes, type ThreadCoordinates, type ScopeWidth } from '../scope.ts';
import { joinedSnapshot, type Snapshot } from './snapshot.ts';

/**
 * The clock that a strong write publishes: the events before a release operation of `by`. It is
 * valid for threads within scope `width` of `by`.
 */
export interface Published {
  readonly snapshot: Snapshot;
  readonly width: ScopeWidth;
  readonly by: ThreadCoordinates;
  /**
   * How a reader gets the clock, other than by an acquire. `always`: a relaxed read is enough,
   * because a completed event cannot be seen too early. `settled`: the reader needs a fence, or
   * must settle the word with the network, because the network's writes take other paths than its
   * signals.
   */
  readonly got?: 'always' | 'settled';
}

/** True if a release and a read of `width` by the thread at `me` include each other. */
export function isInScope(me: ThreadCoordinates, width: ScopeWidth, { width: reach, by }: Published): boolean {
  return includes(width, me, by) && includes(reach, by, me);
}

/**
 * Returns `own`, and those `earlier` ones that the same thread has not published again in as wide a
 * scope.
 */
export function newest(own: readonly Published[], before: readonly Published[]): readonly Published[] {
  const isOld = (one: Published): boolean =>
    own.some(
      ({ by, width, snapshot, got }) =>
        got === one.got &&
        by.cta === one.by.cta &&
        by.thread === one.by.thread &&
        width >= one.width &&
        snapshot.bound >= one.snapshot.bound,
    );
  return before.length === 0 ? own : [...own, ...before.filter((one) => !isOld(one))];
}

/** Merges those of the same scope, whoever published them. */
export function byWidth(published: Iterable<Published>): readonly Published[] {
  const widths = new Map<ScopeWidth, Published[]>();
  for (const one of published) widths.set(one.width, [...(widths.get(one.width) ?? []), one]);
  return [...widths.values()].flatMap(joined);
}

function joined(group: readonly Published[]): readonly Published[] {
  const [first, ...others] = group;
  if (first === undefined || others.length === 0) return group;
  return [{ ...first, snapshot: joinedSnapshot(first.snapshot, ...others.map(({ snapshot }) => snapshot)) }];
}

/** Merges those of `published` that have the same thread or queue, kind and scope. */
export function together(published: readonly Published[]): readonly Published[] {
  const groups = new Map<string, Published[]>();
  for (const one of published) {
    const key = [one.by.cta, one.by.thread, one.width, one.got].join();
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap(joined);
}
