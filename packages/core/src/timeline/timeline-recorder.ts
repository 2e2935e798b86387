import type { SliceCategory } from './slice-category.ts';
import type { FlowId, SliceArgs, Timeline, TrackId, TrackKind } from './timeline.ts';

/** A track to be opened. */
export interface NewTrack {
  readonly kind: TrackKind;
  /** The name for people, such as `CTA 3` or `context 0 to rank 5`. */
  readonly name: string;
  /** Its position among the rank's tracks of its kind. Lower ones come first. @default 0 */
  readonly order?: number;
}

/** The facts about a slice when it begins. */
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

/** A point in time on a track. A slice of the track must span it when the timeline is built. */
export interface FlowPoint {
  readonly track: TrackId;
  /** In nanoseconds, from 0 to `latestTime`. */
  readonly time: number;
  /**
   * Selects the slice if one ends and another begins at `time`. `ending`: the innermost one that
   * began before. `starting`: the innermost one that continues. The default is the deeper of these
   * two, or `ending` if they have the same depth. If no slice begins or ends at that time, both are
   * the same.
   */
  readonly side?: 'ending' | 'starting';
}

/**
 * Records the activity of a simulated launch. Events may come in any order of their times, for
 * example from a separate clock for each CTA. Parents may follow their children. `build` checks
 * that the events are consistent. A single event with an error is refused immediately.
 */
export interface TimelineRecorder {
  /**
   * Adds a rank. Its default name is `rank N`.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if `rank` is not an integer from 0 to 2^31 - 1, or
   *   was already opened.
   */
  openProcess(rank: number, name?: string): void;

  /**
   * Adds a track to a rank that was opened.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the rank was not opened, or if `order` is not a
   *   number.
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
   * Begins a slice, inside those of the same track that have begun and not ended.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for the same reasons as `slice`.
   */
  begin(track: TrackId, slice: SliceBegin): void;

  /**
   * Ends the track's last slice that has begun and not ended. `args` are added to its own, and
   * replace those with the same names.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track, a time out of range or before
   *   the slice's start; `NCCL_INVALID_USAGE` if no slice is open there.
   */
  end(track: TrackId, time: number, args?: SliceArgs): void;

  /**
   * Sends a flow. It must arrive by `finish`, or be dropped.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track or a time out of range.
   */
  flow(name: string, from: FlowPoint): FlowId;

  /**
   * Records where a flow arrives. A flow arrives once.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown track, a time out of range or before
   *   the flow was sent, and a flow that is unknown, has arrived, or was dropped.
   */
  finish(flow: FlowId, to: FlowPoint): void;

  /**
   * Discards a flow whose arrival is never shown, such as a signal for which no thread waited.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the flow is unknown, has arrived, or was dropped.
   */
  drop(flow: FlowId): void;

  /**
   * Ends the recording of a launch that stops early. Every open slice ends at `time`, or at the end
   * of its track's last slice if that is later, and gets the fact `unfinished: true`. Every pending
   * flow is dropped.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the time is out of range.
   */
  cut(time: number): void;

  /**
   * Returns the timeline so far. The recorder may continue afterwards. Timelines that were built do
   * not change.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if a slice is open, a flow has not arrived, two slices
   *   of one track overlap and neither encloses the other, or no slice spans the end of a flow.
   *   `details.problem` names the case: `open`, `flight`, `overlap`, or `loose`.
   */
  build(): Timeline;
}
