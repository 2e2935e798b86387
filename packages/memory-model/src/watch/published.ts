import type { Place, ScopeWidth } from '../scope.ts';
import { joinedSnapshot, type Snapshot } from './snapshot.ts';

/**
 * The clock that a strong write publishes: the events before a release operation of `by`, for
 * threads in reach of `width` around it.
 */
export interface Published {
  readonly snapshot: Snapshot;
  readonly width: ScopeWidth;
  readonly by: Place;
  /**
   * Its receipt by other means than an acquire. `always`: by a relaxed read too, as a completed
   * event cannot be seen too early. `settled`: only by a fence, or by a thread that settles the
   * word with the network, as the network's writes take other paths than its signals.
   */
  readonly got?: 'always' | 'settled';
}

/** `own` and those earlier ones that the same thread has not published anew in as wide a scope. */
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

/** All of `published`, with those of one thread or queue of the same kind and reach merged. */
export function together(published: readonly Published[]): readonly Published[] {
  const groups = new Map<string, Published[]>();
  for (const one of published) {
    const key = [one.by.cta, one.by.thread, one.width, one.got].join();
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first === undefined || others.length === 0) return group;
    return [{ ...first, snapshot: joinedSnapshot(first.snapshot, ...others.map(({ snapshot }) => snapshot)) }];
  });
}
