import type { SliceCategory } from '../slice-category.ts';
import type { FlowId, SliceArgs, Timeline, TrackId, TrackKind } from '../timeline.ts';

/** A track to be opened. */
export interface NewTrack {
  readonly kind: TrackKind;
  /** As people read it: `CTA 3`, `context 0 to rank 5`. */
  readonly name: string;
  /** Where it stands among the rank's tracks of its kind: lower ones come first. Default: 0. */
  readonly order?: number;
}

/** What is known of a slice when it begins. */
export interface SliceBegin {
  readonly name: string;
  readonly category: SliceCategory;
  /** In nanoseconds, from 0 to `latestTime`. */
  readonly start: number;
  readonly args?: SliceArgs;
}

/** A slice that has ended. */
export interface NewSlice extends SliceBegin {
  /** In nanoseconds, from `start` to `latestTime`. */
  readonly end: number;
}

/** A point of time on a track. Some slice of the track must span it when the time line is built. */
export interface FlowPoint {
  readonly track: TrackId;
  /** In nanoseconds, from 0 to `latestTime`. */
  readonly time: number;
  /**
   * Which slice is meant where one ends and another begins at `time`. `ending`: the innermost one
   * that began before; `starting`: the innermost one that goes on. Default: the one of these two
   * that lies deeper, or `ending` when none does; where nothing begins or ends both are the same.
   */
  readonly side?: 'ending' | 'starting';
}

/**
 * The latest time that a time line can hold, in nanoseconds: 13 days. Later ones would not be exact
 * as microseconds.
 */
export const latestTime: number = 2 ** 50;

/**
 * Takes down what a simulated launch does. Whoever has clocks of their own, one for each CTA say,
 * need not bring them in order: slices and flows may come at any time, in any order of their times,
 * parents after their children. What they come to together is checked by `build`; what is wrong by
 * itself is refused at once.
 */
export interface TimelineRecorder {
  /**
   * Adds a rank. Its name is `rank N` unless another is given.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` when `rank` is no integer from 0 to 2^31 - 1, or has
   *   been opened.
   */
  openProcess(rank: number, name?: string): void;

  /**
   * Adds a track to a rank that has been opened.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` when it has not, or `order` is no number.
   */
  openTrack(rank: number, track: NewTrack): TrackId;

  /**
   * Adds a slice.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track or category, times out of range,
   *   an end before the start, and facts that JSON cannot hold.
   */
  slice(track: TrackId, slice: NewSlice): void;

  /**
   * Begins a slice, inside of those of the same track that have begun and not ended.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` as `slice` does.
   */
  begin(track: TrackId, slice: SliceBegin): void;

  /**
   * Ends the slice of the track that was begun last and has not ended. `args` are added to those it
   * has, and win where they have the same names.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track, a time out of range or before
   *   the slice's start; `NCCL_INVALID_USAGE` when no slice is open there.
   */
  end(track: TrackId, time: number, args?: SliceArgs): void;

  /**
   * Sends a flow. It must arrive by `finish`, or be dropped.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track or a time out of range.
   */
  flow(name: string, from: FlowPoint): FlowId;

  /**
   * Says where a flow arrives. A flow arrives once.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track, a time out of range or before
   *   the flow was sent, and a flow that is unknown, has arrived, or was dropped.
   */
  finish(flow: FlowId, to: FlowPoint): void;

  /**
   * Forgets a flow that nothing shows the arrival of, such as a signal that nobody waited for.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` when the flow is unknown, has arrived, or was
   *   dropped.
   */
  drop(flow: FlowId): void;

  /**
   * For a launch that stops before its end. Every open slice ends at `time`, or where the last
   * slice of its track ends if that is later, and gets the fact `unfinished: true`; every flow on
   * its way is dropped.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` when the time is out of range.
   */
  cut(time: number): void;

  /**
   * The time line so far. The recorder may go on afterwards; what has been built does not change.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` when a slice is open, a flow has not arrived, two slices
   *   of one track overlap and neither encloses the other, or no slice spans the end of a flow.
   *   `details.problem` says which of these: `open`, `flight`, `overlap`, or `loose`.
   */
  build(): Timeline;
}
