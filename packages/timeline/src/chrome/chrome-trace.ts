import type { FlowEnd, Slice, Timeline, Track, TrackId } from '@nccl-ts/core';
import { tracksOf } from '../tracks-of.ts';
import { linkUses } from '../link-use.ts';
import type {
  ChromeTrace,
  ChromeTraceEvent,
  CompleteEvent,
  CounterEvent,
  FlowEvent,
  MetadataEvent,
} from './trace-event.ts';

/**
 * The timeline as a Chrome trace: a process for each rank, whose `pid` is the rank plus 1; a thread
 * for each track; a complete event for each slice; two flow events for each flow, with the flow's
 * id. Counters show the bytes per nanosecond on each link that a rank uses.
 *
 * Times are rounded to whole nanoseconds, the unit of viewers. Slices still nest, but short ones
 * may have no length left. If a flow touches the end of its slice, its event is a nanosecond
 * earlier, because viewers would otherwise bind it to a slice that begins there.
 *
 * The same timeline gives the same events in the same order: metadata first, and then all others by
 * time.
 */
export function chromeTrace(timeline: Timeline): ChromeTrace {
  const threads = threadsOf(timeline);
  const slices = [...threads.values()].flatMap((thread) =>
    thread.track.slices.map((slice) => completeEvent(slice, thread)),
  );
  const flows = timeline.flows.flatMap(({ id, name, from, to }): readonly FlowEvent[] => {
    const [start, finish] = [threads.get(from.track), threads.get(to.track)];
    if (start === undefined || finish === undefined) return [];
    const [begins, arrives] = flowTimes(from, start.track, to, finish.track);
    return [
      { ph: 's', name, cat: 'flow', id, pid: start.pid, tid: start.tid, ts: microseconds(begins) },
      { ph: 'f', name, cat: 'flow', id, pid: finish.pid, tid: finish.tid, ts: microseconds(arrives), bp: 'e' },
    ];
  });
  const counters = timeline.processes.flatMap((process) =>
    linkUses(process).flatMap(({ link, points }) =>
      points.map(({ time, rate }): CounterEvent => {
        const name = `${link}, GB/s`;
        return { ph: 'C', name, pid: pidOf(process.rank), ts: microseconds(Math.round(time)), args: { rate } };
      }),
    ),
  );
  return {
    displayTimeUnit: 'ns',
    // Readers bind a flow to the slice that began last. So slices come first, and an enclosing
    // slice before those inside it.
    traceEvents: [
      ...metadata(timeline, threads),
      ...[...slices.sort((a, b) => a.ts - b.ts || b.dur - a.dur), ...flows, ...counters].sort((a, b) => a.ts - b.ts),
    ],
  };
}

interface Thread {
  readonly track: Track;
  readonly pid: number;
  readonly tid: number;
}

/**
 * Ids are positive, because 0 may be the idle process. A thread never has the id of a process or of
 * another process's thread, because some readers name threads only by their `tid`.
 */
function threadsOf(timeline: Timeline): ReadonlyMap<TrackId, Thread> {
  const first = 1 + pidOf(timeline.processes.at(-1)?.rank ?? 0);
  return new Map(
    tracksOf(timeline).map((track, index) => [track.id, { track, pid: pidOf(track.rank), tid: first + index }]),
  );
}

function pidOf(rank: number): number {
  return rank + 1;
}

function metadata(timeline: Timeline, threads: ReadonlyMap<TrackId, Thread>): readonly ChromeTraceEvent[] {
  return timeline.processes.flatMap(({ rank, name, tracks }): readonly MetadataEvent[] => {
    const pid = pidOf(rank);
    return [
      { ph: 'M', name: 'process_name', pid, args: { name } },
      { ph: 'M', name: 'process_sort_index', pid, args: { sort_index: rank } },
      ...tracks.flatMap((track, index): readonly MetadataEvent[] => {
        const tid = threads.get(track.id)?.tid;
        if (tid === undefined) throw new RangeError(`Track ${track.id} has no thread.`);
        return [
          { ph: 'M', name: 'thread_name', pid, tid, args: { name: track.name } },
          { ph: 'M', name: 'thread_sort_index', pid, tid, args: { sort_index: index } },
        ];
      }),
    ];
  });
}

function completeEvent({ name, category, start, end, args }: Slice, { pid, tid }: Thread): CompleteEvent {
  const from = Math.round(start);
  return {
    ph: 'X',
    name,
    cat: category,
    pid,
    tid,
    ts: microseconds(from),
    dur: microseconds(Math.round(end) - from),
    ...(Object.keys(args).length === 0 ? {} : { args }),
  };
}

/** Returns the times of the two events of a flow, in whole nanoseconds. */
function flowTimes(from: FlowEnd, start: Track, to: FlowEnd, finish: Track): readonly [number, number] {
  const begins = inside(from, start);
  const arrives = inside(to, finish);
  // Without latency, subtracting a nanosecond for viewers could change the order.
  return [begins, arrives < begins ? Math.round(to.time) : arrives];
}

function inside({ time, slice }: FlowEnd, { slices }: Track): number {
  const { start = time, end = time } = slices[slice] ?? {};
  return Math.max(Math.round(start), Math.min(Math.round(time), Math.round(end) - 1));
}

function microseconds(nanoseconds: number): number {
  return nanoseconds / 1000;
}
