import type { Slice, SliceArgs, SliceCategory, TrackId } from '@nccl-ts/core';
import { badUsage } from './refusals.ts';

/** A slice as it was recorded. */
export interface RecordedSlice {
  readonly name: string;
  readonly category: SliceCategory;
  readonly start: number;
  readonly end: number;
  readonly args: SliceArgs;
  /**
   * The order of `begin` calls on a track, from 0. Of slices with equal times, the one that began
   * earlier encloses the others.
   */
  readonly began: number;
}

/**
 * The sorted slices of a track, and for each of them the index of the enclosing one; -1 if there is
 * none.
 */
export interface NestedSlices {
  readonly slices: readonly Slice[];
  readonly parents: readonly number[];
}

/**
 * Sorts the slices of a track.
 *
 * @param where the track, for messages.
 * @throws NcclError `NCCL_INVALID_USAGE` if two of them overlap and neither encloses the other
 */
export function nestSlices(track: TrackId, where: string, recorded: readonly RecordedSlice[]): NestedSlices {
  const sorted = recorded.toSorted((a, b) => a.start - b.start || b.end - a.end || a.began - b.began);
  const slices: Slice[] = [];
  const parents: number[] = [];
  /** The slices that are open at the current position, innermost last. */
  const around: number[] = [];
  for (const slice of sorted) {
    while (endOf(slices, around.at(-1)) <= slice.start) around.pop();
    const parent = around.at(-1) ?? -1;
    if (slice.end > endOf(slices, parent)) throw overlap(where, slices[parent], slice);
    parents.push(parent);
    around.push(slices.length);
    const { name, category, start, end, args } = slice;
    slices.push(Object.freeze({ track, name, category, start, end, depth: around.length - 1, args }));
  }
  return { slices: Object.freeze(slices), parents };
}

function endOf(slices: readonly Slice[], index: number | undefined): number {
  return index === undefined ? Infinity : (slices[index]?.end ?? Infinity);
}

function overlap(where: string, first: Slice | undefined, second: RecordedSlice): Error {
  return badUsage(
    'overlap',
    `${where}: slice ${span(second)} begins inside of ${first === undefined ? 'another' : span(first)} and ends after it. ` +
      'Slices of one track must be disjoint or lie within each other: end the first one earlier, or put the second one ' +
      'on a separate track.',
    { track: where, first, second },
  );
}

function span({ name, start, end }: Pick<Slice, 'name' | 'start' | 'end'>): string {
  return `"${name}" (${start} to ${end} ns)`;
}
