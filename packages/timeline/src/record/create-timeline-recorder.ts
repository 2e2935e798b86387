import {
  expectInteger,
  showValue,
  type FlowId,
  type FlowPoint,
  type NewSlice,
  type NewTrack,
  type SliceArgs,
  type SliceBegin,
  type Timeline,
  type TimelineRecorder,
  type TrackId,
} from '@nccl-ts/core';

import {
  buildTimeline,
  type OpenSlice,
  type RecordedFlow,
  type RecordedProcess,
  type RecordedTrack,
} from './build-timeline.ts';
import { badArgument, badUsage, expectCategory, expectTime, frozenArgs } from './refusals.ts';

/** Creates an empty recorder. */
export function createTimelineRecorder(): TimelineRecorder {
  return new Recorder();
}

/** Ranks are C ints. */
const highestRank = 2 ** 31 - 1;

class Recorder implements TimelineRecorder {
  readonly #processes = new Map<number, RecordedProcess>();
  readonly #tracks: RecordedTrack[] = [];
  readonly #flows: RecordedFlow[] = [];

  openProcess(rank: number, name?: string): void {
    expectInteger('rank', rank, 0, highestRank);
    if (this.#processes.has(rank)) {
      throw badArgument(`rank ${rank} has a process already: open it once, and then its tracks.`, {
        what: 'rank',
        given: rank,
      });
    }
    this.#processes.set(rank, { rank, name: name ?? `rank ${rank}` });
  }

  openTrack(rank: number, { kind, name, order = 0 }: NewTrack): TrackId {
    if (!this.#processes.has(rank)) {
      throw badArgument(`rank ${showValue(rank)} has no process: call openProcess(${showValue(rank)}) first.`, {
        what: 'rank',
        given: rank,
      });
    }
    if (Number.isNaN(order)) {
      throw badArgument(`order of track ${showValue(name)} must be a number; given NaN.`, {
        what: 'order',
        given: order,
      });
    }
    return this.#tracks.push({ rank, kind, name, order, slices: [], open: [], latest: 0, began: 0 }) - 1;
  }

  slice(track: TrackId, slice: NewSlice): void {
    const to = this.#track(track);
    add(to, opened(to, slice), slice.end);
  }

  begin(track: TrackId, slice: SliceBegin): void {
    const on = this.#track(track);
    on.open.push(opened(on, slice));
  }

  end(track: TrackId, time: number, args: SliceArgs = {}): void {
    const on = this.#track(track);
    const innermost = on.open.at(-1);
    if (innermost === undefined) {
      throw badUsage('open', `track "${on.name}" of rank ${on.rank} has no open slice to end: begin one first.`, {
        track,
        time,
      });
    }
    add(on, { ...innermost, args: frozenArgs(innermost.name, innermost.args, args) }, time);
    on.open.pop();
  }

  flow(name: string, from: FlowPoint): FlowId {
    return this.#flows.push({ name, from: this.#point(from), state: 'flight' }) - 1;
  }

  finish(flow: FlowId, to: FlowPoint): void {
    const sent = this.#flight(flow);
    const arrival = this.#point(to);
    if (arrival.time < sent.from.time) {
      throw badArgument(
        `flow "${sent.name}" arrives at ${arrival.time} ns, before it was sent at ${sent.from.time} ns: time goes ` +
          "forward, so give the receiver's time after it has taken the sender's into account.",
        { what: 'time', given: arrival.time, min: sent.from.time },
      );
    }
    this.#flows[flow] = { ...sent, state: arrival };
  }

  drop(flow: FlowId): void {
    this.#flows[flow] = { ...this.#flight(flow), state: 'dropped' };
  }

  cut(time: number): void {
    expectTime('time of a cut', time);
    for (const track of this.#tracks) {
      // From the inside out, because each end moves `latest`, which enclosing slices must not
      // precede.
      for (const open of track.open.toReversed()) {
        const args = frozenArgs(open.name, open.args, { unfinished: true });
        add(track, { ...open, args }, Math.max(time, open.start, track.latest));
      }
      track.open.length = 0;
    }
    for (const [id, flow] of this.#flows.entries()) {
      if (flow.state === 'flight') this.#flows[id] = { ...flow, state: 'dropped' };
    }
  }

  build(): Timeline {
    return buildTimeline([...this.#processes.values()], this.#tracks, this.#flows);
  }

  #track(id: TrackId): RecordedTrack {
    const track = this.#tracks[id];
    if (track !== undefined) return track;
    throw badArgument(
      `track ${showValue(id)} is not one of the ${this.#tracks.length} of this recorder: use the result of its openTrack.`,
      { what: 'track', given: id },
    );
  }

  #flight(id: FlowId): RecordedFlow {
    const flow = this.#flows[id];
    if (flow?.state === 'flight') return flow;
    const what = flow === undefined ? 'is unknown' : flow.state === 'dropped' ? 'was dropped' : 'has arrived';
    throw badArgument(
      `flow ${showValue(id)} ${what}: each flow that this recorder has sent arrives once or is dropped.`,
      { what: 'flow', given: id },
    );
  }

  #point({ track, time, side }: FlowPoint): FlowPoint {
    this.#track(track);
    expectTime('time of a flow', time);
    return side === undefined ? { track, time } : { track, time, side };
  }
}

/** Begins a slice on the track. */
function opened(track: RecordedTrack, slice: SliceBegin): OpenSlice {
  const { name, category, start } = slice;
  expectCategory(slice);
  expectTime(`start of slice ${showValue(name)}`, start);
  return { name, category, start, args: frozenArgs(name, slice.args ?? {}), began: track.began++ };
}

/** Ends a slice, and adds it to its track. */
function add(track: RecordedTrack, begun: OpenSlice, end: number): void {
  expectTime(`end of slice ${showValue(begun.name)}`, end);
  if (end < begun.start) {
    throw badArgument(
      `slice ${showValue(begun.name)} ends at ${end} ns, before its start at ${begun.start} ns: give times of one clock.`,
      { what: 'end', given: end, min: begun.start, slice: begun.name },
    );
  }
  track.slices.push({ ...begun, end });
  track.latest = Math.max(track.latest, end);
}
