import type { FlowPoint, NewSlice, NewTrack, SliceBegin, Timeline, TimelineRecorder, TrackId } from '@nccl-ts/core';

/** A slice and the track that it is on. */
export interface OnTrack<T> {
  readonly track: TrackId;
  readonly slice: T;
}

/** An arrow from a cause to its effect. */
export interface Arrow {
  readonly name: string;
  readonly from: FlowPoint;
  readonly to: FlowPoint;
}

/** The slices of a CTA that has not ended. `begun` lists the open ones, outermost first. */
export interface Unfinished {
  readonly slices: readonly OnTrack<NewSlice>[];
  readonly arrows: readonly Arrow[];
  readonly begun: readonly OnTrack<SliceBegin>[];
}

/** The recording so far, which can be converted to a timeline at any time. */
export class TraceLog {
  readonly #ranks: number;
  readonly #tracks: { readonly rank: number; readonly track: NewTrack }[] = [];
  readonly #slices: OnTrack<NewSlice>[] = [];
  readonly #arrows: Arrow[] = [];
  /** The latest end of a slice, by track. */
  readonly #ends: number[] = [];
  #latest = 0;

  constructor(ranks: number) {
    this.#ranks = ranks;
  }

  /** The latest end of a slice. */
  get latest(): number {
    return this.#latest;
  }

  openTrack(rank: number, track: NewTrack): TrackId {
    this.#ends.push(0);
    return this.#tracks.push({ rank, track }) - 1;
  }

  slice(track: TrackId, slice: NewSlice): void {
    this.#slices.push({ track, slice });
    this.#latest = Math.max(this.#latest, slice.end);
    const end = this.#ends[track];
    if (end !== undefined && slice.end > end) this.#ends[track] = slice.end;
  }

  arrow(arrow: Arrow): void {
    this.#arrows.push(arrow);
  }

  /** Records all slices. Slices of CTAs that have not ended are cut off at `time`. */
  timeline(recorder: TimelineRecorder, unfinished: readonly Unfinished[], time: number): Timeline {
    for (let rank = 0; rank < this.#ranks; rank++) recorder.openProcess(rank);
    for (const { rank, track } of this.#tracks) recorder.openTrack(rank, track);
    for (const { slices } of [{ slices: this.#slices }, ...unfinished]) {
      for (const { track, slice } of slices) recorder.slice(track, slice);
    }
    for (const { arrows } of [{ arrows: this.#arrows }, ...unfinished]) {
      for (const { name, from, to } of arrows) recorder.finish(recorder.flow(name, this.#drawn(from)), to);
    }
    for (const { begun } of unfinished) for (const { track, slice } of begun) recorder.begin(track, slice);
    recorder.cut(time);
    return recorder.build();
  }

  /**
   * Returns where an arrow is drawn to begin. A store may leave for a peer after its CTA has ended,
   * and the CTA's track has no slice there.
   */
  #drawn(from: FlowPoint): FlowPoint {
    const end = this.#ends[from.track];
    return end === undefined || end === 0 || from.time <= end ? from : { ...from, time: end };
  }
}
