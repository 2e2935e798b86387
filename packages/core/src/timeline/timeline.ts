import type { SliceCategory } from './slice-category.ts';

/** The number of a track in a timeline, in the order in which tracks were opened, from 0. */
export type TrackId = number;

/** The number of a flow in a timeline, in the order in which flows were sent, from 0. */
export type FlowId = number;

/**
 * Facts about a slice. They may only have values that JSON can represent. Pass 64-bit integers as
 * text, or as numbers if these are exact.
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
  /** The rank of its process. */
  readonly rank: number;
  readonly kind: TrackKind;
  readonly name: string;
  /**
   * Sorted by `start`, enclosing ones first. Two slices are either disjoint, or one is inside the
   * other. They may touch.
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

/** One end of a flow: a point in time in a slice. */
export interface FlowEnd {
  readonly track: TrackId;
  /** In nanoseconds. */
  readonly time: number;
  /** The slice in the track, as an index into `Track.slices`. That slice spans `time`. */
  readonly slice: number;
}

/**
 * A cause and its effect, in two slices: such as a signal, and the wait that it ended. `to.time` is
 * not before `from.time`.
 */
export interface Flow {
  readonly id: FlowId;
  readonly name: string;
  readonly from: FlowEnd;
  readonly to: FlowEnd;
}

/**
 * The activities of every rank over time. It is frozen plain data and survives JSON.
 * `TimelineRecorder.build` makes such values and checks all these rules, on which functions that
 * take them rely.
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
