import {
  at as itemAt,
  expectInteger,
  type Flow,
  type Process,
  type Slice,
  type SliceCategory,
  type Timeline,
  type Track,
  type TrackId,
} from '@nccl-ts/core';

import { activityOf, type Activity } from './slice-category.ts';

/** A wait of a rank. */
export interface LongWait {
  readonly track: TrackId;
  readonly slice: Slice;
  /** The waiting time in nanoseconds: that of the slice, without the slices inside it. */
  readonly time: number;
  /** The flow that arrived in it last, if any, from the sender for which it waited. */
  readonly endedBy: Flow | undefined;
}

/** The times of a rank's activities. All times are in nanoseconds. */
export interface ProcessSummary {
  readonly rank: number;
  readonly name: string;
  /** The time at which its last slice ends; 0 if it has none. */
  readonly end: number;
  /**
   * Sums over the rank's tracks, in which every moment of a track counts once, for the innermost
   * slice. So several concurrent CTAs add up to more than `end`.
   */
  readonly totals: Readonly<Record<Activity, number>>;
  /** The same, by category. */
  readonly byCategory: Readonly<Record<SliceCategory, number>>;
  /** Longest first; of equal waits, the earlier one comes first. */
  readonly longestWaits: readonly LongWait[];
}

export interface TimelineSummary {
  /** The time at which the last slice of all ends, in nanoseconds. */
  readonly end: number;
  /** Sorted by rank. */
  readonly processes: readonly ProcessSummary[];
}

export interface TimelineSummaryOptions {
  /** The largest number of waits that are listed for each rank. @default 3 */
  readonly longestWaits?: number;
}

/**
 * Returns the times of every rank's activities, as plain values.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if `longestWaits` is not an integer of at least 0.
 */
export function timelineSummary(timeline: Timeline, options: TimelineSummaryOptions = {}): TimelineSummary {
  const most = expectInteger('longestWaits', options.longestWaits ?? 3, 0);
  const arrivals = new Map<string, Flow>();
  for (const flow of timeline.flows) {
    const key = arrivalKey(flow.to.track, flow.to.slice);
    const known = arrivals.get(key);
    if (known === undefined || known.to.time <= flow.to.time) arrivals.set(key, flow);
  }
  return Object.freeze({
    end: timeline.end,
    processes: Object.freeze(timeline.processes.map((process) => summaryOf(process, arrivals, most))),
  });
}

function summaryOf({ rank, name, tracks }: Process, arrivals: ReadonlyMap<string, Flow>, most: number): ProcessSummary {
  const times = tracks.map(ownTimes);
  const timed = tracks.flatMap((track, at) =>
    track.slices.map((slice, index) => ({ slice, index, time: itemAt(itemAt(times, at), index) })),
  );
  const spent = (counts: (category: SliceCategory) => boolean): number =>
    timed.reduce((sum, { slice, time }) => (counts(slice.category) ? sum + time : sum), 0);
  const waits = timed
    .filter(({ slice, time }) => activityOf(slice.category) === 'wait' && time > 0)
    .sort((a, b) => b.time - a.time || a.slice.start - b.slice.start)
    .slice(0, most)
    .map(({ slice, index, time }): LongWait => {
      return Object.freeze({ track: slice.track, slice, time, endedBy: arrivals.get(arrivalKey(slice.track, index)) });
    });
  return Object.freeze({
    rank,
    name,
    end: timed.reduce((latest, { slice }) => Math.max(latest, slice.end), 0),
    totals: Object.freeze({
      busy: spent((category) => activityOf(category) === 'busy'),
      wait: spent((category) => activityOf(category) === 'wait'),
      network: spent((category) => activityOf(category) === 'network'),
    }),
    byCategory: byCategory((category) => spent((other) => other === category)),
    longestWaits: Object.freeze(waits),
  });
}

/** Returns the duration of each slice, without the slices directly inside it. */
function ownTimes({ slices }: Track): readonly number[] {
  const times = slices.map(({ start, end }) => end - start);
  /** The slices around the current one: by depth, the index of the last one that was seen. */
  const around: number[] = [];
  slices.forEach(({ start, end, depth }, index) => {
    around[depth] = index;
    const parent = depth === 0 ? undefined : around[depth - 1];
    if (parent !== undefined) times[parent] = itemAt(times, parent) - (end - start);
  });
  return times;
}

function arrivalKey(track: TrackId, slice: number): string {
  return `${track}/${slice}`;
}

function byCategory(time: (category: SliceCategory) => number): Readonly<Record<SliceCategory, number>> {
  return Object.freeze({
    launch: time('launch'),
    compute: time('compute'),
    wait: time('wait'),
    put: time('put'),
    get: time('get'),
    signal: time('signal'),
    barrier: time('barrier'),
    fence: time('fence'),
    network: time('network'),
  });
}
