import type { FlowPoint, TrackId } from '@nccl-ts/core';

/** A part of the critical path: what its time was spent on, and where. */
export interface PredictedPart {
  /**
   * `launch` is the time between launches. `wait` is the time from what ended a wait until the wait
   * ended. `fence` is that of a fence or a release, and `barrier` that of a barrier of a CTA after
   * its last thread has come. `compute` is everything else: instructions and memory.
   */
  readonly kind: 'launch' | 'wait' | 'fence' | 'barrier' | 'compute';
  /** The call that synchronizes, or the kernel that is launched; empty for `compute`. */
  readonly name: string;
  /** The line of the source; empty if it is not known. */
  readonly at: string;
  readonly nanoseconds: number;
}

interface PathSlice {
  readonly start: number;
  readonly end: number;
  readonly kind: 'wait' | 'fence' | 'barrier' | 'compute';
  readonly name: string;
  readonly at: string;
}

interface PathLaunch {
  readonly start: number;
  readonly end: number;
  readonly track: TrackId;
  readonly kernel: string;
}

interface PathTrack {
  readonly rank: number;
  readonly slices: PathSlice[];
  readonly launches: PathLaunch[];
  /** The causes by which waits ended, by the time of their ends. */
  readonly causes: Map<number, FlowPoint>;
}

/**
 * The chain of events that decided when a program ended. From the end, it goes back along the CTA
 * that ended last. Where that CTA waited for a store of another one, it goes on at that store.
 */
export class CriticalPath {
  readonly #tracks = new Map<TrackId, PathTrack>();

  track(track: TrackId, rank: number): void {
    this.#tracks.set(track, { rank, slices: [], launches: [], causes: new Map() });
  }

  slice(track: TrackId, slice: PathSlice): void {
    this.#tracks.get(track)?.slices.push(slice);
  }

  launch(track: TrackId, kernel: string, start: number, end: number): void {
    this.#tracks.get(track)?.launches.push({ start, end, track, kernel });
  }

  cause(to: FlowPoint, from: FlowPoint): void {
    this.#tracks.get(to.track)?.causes.set(to.time, from);
  }

  /**
   * The parts of the time from `begin` until the last launch ended, largest first. They add up to
   * it.
   */
  parts(begin = 0): readonly PredictedPart[] {
    const parts = new Map<string, PredictedPart>();
    const spend = (kind: PredictedPart['kind'], name: string, at: string, nanoseconds: number): void => {
      if (nanoseconds <= 0) return;
      const key = `${kind}\n${name}\n${at}`;
      parts.set(key, { kind, name, at, nanoseconds: (parts.get(key)?.nanoseconds ?? 0) + nanoseconds });
    };
    const launches = [...this.#tracks.values()].flatMap((one) => one.launches).toSorted((a, b) => b.end - a.end);
    for (const { slices } of this.#tracks.values()) slices.sort((a, b) => a.start - b.start);
    let current = launches[0];
    let time = current?.end ?? begin;
    while (current !== undefined && time > begin) {
      const track = this.#tracks.get(current.track);
      if (track === undefined) break;
      if (time <= current.start) {
        // The launch began when the one before it on its rank had ended.
        const { rank } = track;
        const before = launches.find(({ end, track: of }) => end <= time && this.#tracks.get(of)?.rank === rank);
        const end = Math.max(begin, before?.end ?? begin);
        spend('launch', current.kernel, '', time - end);
        time = end;
        current = before;
        continue;
      }
      const found = latestBefore(track.slices, time);
      const slice = found !== undefined && found.end > current.start ? found : undefined;
      const from = Math.max(begin, current.start, slice?.start ?? current.start);
      if (slice === undefined || slice.end < time) {
        // Nothing is drawn here.
        const until = Math.max(from, Math.min(time, slice?.end ?? from));
        spend('compute', '', slice?.at ?? '', time - until);
        time = until;
        if (slice === undefined) continue;
      }
      const cause = slice.kind === 'wait' ? track.causes.get(slice.end) : undefined;
      const other = cause === undefined ? undefined : this.#launchAt(cause);
      if (cause !== undefined && other !== undefined && cause.time > from && cause.time < time) {
        spend('wait', slice.name, slice.at, time - cause.time);
        time = cause.time;
        current = other;
      } else {
        spend(slice.kind, slice.name, slice.at, time - from);
        time = from;
      }
    }
    return [...parts.values()].toSorted((a, b) => b.nanoseconds - a.nanoseconds).map((part) => Object.freeze(part));
  }

  /** The launch that a point is in. */
  #launchAt({ track, time }: FlowPoint): PathLaunch | undefined {
    return this.#tracks.get(track)?.launches.find(({ start, end }) => start <= time && time <= end);
  }
}

/** The last slice that begins before a time, of slices by their beginning. */
function latestBefore(slices: readonly PathSlice[], time: number): PathSlice | undefined {
  let [low, high] = [0, slices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slices[middle]?.start ?? Infinity) < time) low = middle + 1;
    else high = middle;
  }
  return slices[low - 1];
}
