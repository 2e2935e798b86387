import type { SliceCategory } from './slice-category.ts';

/** Counts the tracks of a time line in the order in which they were opened, from 0. */
export type TrackId = number;

/** Counts the flows of a time line in the order in which they were sent, from 0. */
export type FlowId = number;

/**
 * Facts about a slice. Only values that JSON can represent: pass 64-bit integers as text, or as
 * numbers if that is exact.
 */
export type SliceArgs = Readonly<Record<string, string | number | boolean>>;

/** A rank. */
export interface Process {
  readonly rank: number;
  readonly name: string;
  /** CTAs before network queues, then by `order`, then as they were opened. */
  readonly tracks: readonly Track[];
}

/** The owner of a track: a CTA, or a queue from a GIN context to a peer. */
export type TrackKind = 'cta' | 'network';

/** Something of a rank that does one thing at a time. */
export interface Track {
  readonly id: TrackId;
  /** The process that it belongs to. */
  readonly rank: number;
  readonly kind: TrackKind;
  readonly name: string;
  /**
   * Sorted by `start`, enclosing ones first. Any two of them are disjoint, or one is inside the
   * other; they may touch.
   */
  readonly slices: readonly Slice[];
}

/** A time during which a track did one thing. Times are in nanoseconds, and may be fractions. */
export interface Slice {
  readonly track: TrackId;
  readonly name: string;
  readonly category: SliceCategory;
  readonly start: number;
  /** Not before `start`. */
  readonly end: number;
  /** The number of slices of the track that enclose this one. */
  readonly depth: number;
  readonly args: SliceArgs;
}

/** One end of a flow: a point of time in a slice. */
export interface FlowEnd {
  readonly track: TrackId;
  /** In nanoseconds. */
  readonly time: number;
  /** Its slice in the track: an index into `Track.slices`. That slice spans `time`. */
  readonly slice: number;
}

/**
 * One slice brought another one about: a signal, and the wait that it ended. `to.time` is not
 * before `from.time`.
 */
export interface Flow {
  readonly id: FlowId;
  readonly name: string;
  readonly from: FlowEnd;
  readonly to: FlowEnd;
}

/**
 * The activities of every rank over time. All of it is frozen plain data and survives JSON.
 * `TimelineRecorder.build` makes such values and has checked all these rules; functions that take
 * them rely on that.
 */
export interface Timeline {
  /** Sorted by rank. */
  readonly processes: readonly Process[];
  /** Sorted by `id`. */
  readonly flows: readonly Flow[];
  /** The earliest start of a slice, in nanoseconds; 0 if there is none. */
  readonly start: number;
  /** The latest end of a slice, in nanoseconds; 0 if there is none. */
  readonly end: number;
}

/** All tracks, by process and then in the order of the process. */
export function tracksOf(timeline: Timeline): readonly Track[] {
  return timeline.processes.flatMap(({ tracks }) => tracks);
}
