import type {
  FlowId,
  FlowPoint,
  NewSlice,
  NewTrack,
  SliceBegin,
  Timeline,
  TimelineRecorder,
  TrackId,
} from '@nccl-ts/core';
import { CriticalPath } from './critical-path.ts';

/** The time for which a rank's slowest CTA waits for one other rank. */
export interface PredictedWait {
  readonly rank: number;
  readonly for: number;
  readonly nanoseconds: number;
}

/** A launch of a kernel on all ranks that made it. Times are those of the whole program. */
export interface PredictedLaunch {
  readonly kernel: string;
  /** When the first CTA of any rank began, and when the last one ended. */
  readonly start: number;
  readonly end: number;
  /**
   * Nanoseconds from the end of the previous launch on this stream, or from the beginning, to this
   * one's end. With the time between launches, which a launch cannot avoid.
   */
  readonly nanoseconds: number;
}

interface UsedTrack {
  readonly rank: number;
  readonly kind: NewTrack['kind'];
  /** The duration of each wait, by the time at which it ends. */
  readonly waits: Map<number, number>;
}

/**
 * Records only the parts of a trace that a prediction needs: its end, its use of the network, and
 * the waits for other ranks. The recorder of `@nccl-ts/timeline` records everything, but the
 * simulator does not load that package.
 */
export class TimeUse implements TimelineRecorder {
  #latest = 0;
  #open = 0;
  readonly #tracks: UsedTrack[] = [];
  /** The point at which each flow begins. */
  readonly #senders: FlowPoint[] = [];
  /** By waiting CTA and by the rank that it waits for. */
  readonly #waits = new Map<string, PredictedWait>();

  readonly path: CriticalPath = new CriticalPath();
  /** By stream, and by the number of the launch on it. */
  readonly #launches = new Map<number, Map<number, { kernel: string; start: number; end: number }>>();

  /** The launches of each stream, in their order. */
  get launches(): readonly PredictedLaunch[] {
    return [...this.#launches.values()].flatMap((launches) => {
      let before = 0;
      return [...launches]
        .toSorted(([a], [b]) => a - b)
        .map(([, launch]) => {
          const nanoseconds = Math.max(0, launch.end - before);
          before = Math.max(before, launch.end);
          return Object.freeze({ ...launch, nanoseconds });
        });
    });
  }

  /** The latest end of a slice, in nanoseconds. */
  get latest(): number {
    return this.#latest;
  }

  get usesNetwork(): boolean {
    return this.#tracks.some(({ kind }) => kind === 'network');
  }

  /** Returns the longest wait of any CTA for another rank. */
  get longestWait(): PredictedWait | undefined {
    let longest: PredictedWait | undefined;
    for (const wait of this.#waits.values()) if (wait.nanoseconds > (longest?.nanoseconds ?? 0)) longest = wait;
    return longest;
  }

  openProcess(): void {}

  openTrack(rank: number, { kind }: NewTrack): TrackId {
    const track = this.#tracks.push({ rank, kind, waits: new Map() }) - 1;
    if (kind === 'cta') this.path.track(track, rank);
    return track;
  }

  slice(track: TrackId, { category, name, start, end, args = {} }: NewSlice): void {
    this.#latest = Math.max(this.#latest, end);
    if (category === 'launch') {
      this.path.launch(track, name, start, end);
      this.#launched(name, start, end, Number(args['stream']), Number(args['launch']));
    } else if (category === 'wait' || category === 'compute' || category === 'fence' || category === 'barrier') {
      const at = typeof args['at'] === 'string' ? args['at'] : '';
      this.path.slice(track, { start, end, kind: category, name: category === 'compute' ? '' : name, at });
    }
    if (category === 'wait') this.#tracks[track]?.waits.set(end, end - start);
  }

  begin(_track: TrackId, { start }: SliceBegin): void {
    this.#open++;
    this.#latest = Math.max(this.#latest, start);
  }

  end(_track: TrackId, time: number): void {
    this.#open--;
    this.#latest = Math.max(this.#latest, time);
  }

  flow(_name: string, from: FlowPoint): FlowId {
    return this.#senders.push(from) - 1;
  }

  /** Adds the flow to the wait that ends where it arrives. The simulator records the wait first. */
  finish(flow: FlowId, to: FlowPoint): void {
    const sender = this.#senders[flow];
    const source = sender === undefined ? undefined : this.#tracks[sender.track];
    const target = this.#tracks[to.track];
    const duration = target?.waits.get(to.time);
    if (sender === undefined || source === undefined || target === undefined || duration === undefined) return;
    this.path.cause(to, sender);
    if (source.rank === target.rank) return;
    const key = `${to.track},${source.rank}`;
    const nanoseconds = (this.#waits.get(key)?.nanoseconds ?? 0) + duration;
    this.#waits.set(key, Object.freeze({ rank: target.rank, for: source.rank, nanoseconds }));
  }

  #launched(kernel: string, start: number, end: number, stream: number, number: number): void {
    const launches = this.#launches.get(stream) ?? new Map<number, { kernel: string; start: number; end: number }>();
    this.#launches.set(stream, launches);
    const known = launches.get(number);
    if (known === undefined) launches.set(number, { kernel, start, end });
    else {
      known.start = Math.min(known.start, start);
      known.end = Math.max(known.end, end);
    }
  }

  drop(): void {}

  cut(time: number): void {
    if (this.#open > 0) this.#latest = Math.max(this.#latest, time);
    this.#open = 0;
  }

  build(): Timeline {
    return { processes: [], flows: [], start: 0, end: this.#latest };
  }
}
