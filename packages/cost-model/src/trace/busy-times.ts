import { at as itemAt } from '@nccl-ts/core';
/**
 * The busy times of something that does one thing at a time. A later request may get an earlier
 * time.
 */
export class BusyTimes {
  /** Sorted by time, disjoint and never adjacent. */
  readonly #taken: { readonly start: number; readonly end: number }[] = [];

  /**
   * Reserves the first free `duration` that starts at `earliest` or later, and returns its start.
   */
  take(earliest: number, duration: number): number {
    const taken = this.#taken;
    let at = taken.length;
    while (at > 0 && itemAt(taken, at - 1).end > earliest) at--;
    let start = earliest;
    for (let next = taken[at]; next !== undefined && next.start < start + duration; next = taken[++at])
      start = next.end;
    const end = start + duration;
    const before = taken[at - 1];
    const after = taken[at];
    const joinsBefore = before !== undefined && before.end === start;
    const joinsAfter = after !== undefined && after.start === end;
    const first = joinsBefore ? at - 1 : at;
    taken.splice(first, Number(joinsBefore) + Number(joinsAfter), {
      start: joinsBefore ? before.start : start,
      end: joinsAfter ? after.end : end,
    });
    return start;
  }
}
