import type { TraceEvent } from './check-event.ts';
import type { TraceProblem } from './trace-problem.ts';

/** A slice of a thread, from an `X`, or from a `B` and its `E`. Times are in microseconds. */
export interface ThreadSlice {
  readonly event: number;
  readonly start: number;
  readonly end: number;
}

/** The slices of a thread. */
export interface OneThread {
  /** Sorted by start; of equal starts, longer ones come first. */
  readonly slices: readonly ThreadSlice[];
  /** For each slice, the latest end of it and of the earlier ones. */
  readonly latestEnds: readonly number[];
}

/**
 * The smallest difference that viewers show. Ends are sums of two rounded numbers, and readers
 * count nanoseconds, so half of one is not an overlap.
 */
const HALF_NANOSECOND = 0.0005;

/** Returns the thread to which an event belongs. */
export function threadOf({ fields }: TraceEvent): string {
  return `${String(fields['pid'])}/${String(fields['tid'])}`;
}

/** Returns a time of an event that has been checked. */
export function timeOf({ fields }: TraceEvent, field: 'ts' | 'dur' = 'ts'): number {
  return Number(fields[field]);
}

/** Finds the slices of all threads, and those that do not nest. */
export function checkSlices(events: readonly TraceEvent[]): {
  readonly threads: ReadonlyMap<string, OneThread>;
  readonly problems: readonly TraceProblem[];
} {
  const threads = new Map<string, OneThread>();
  const problems = [...byThread(events)].flatMap(([thread, own]) => {
    const complete = own
      .filter(({ phase }) => phase === 'X')
      .map((event): ThreadSlice => {
        const start = timeOf(event);
        return { event: event.index, start, end: start + timeOf(event, 'dur') };
      });
    const paired = pair(own);
    const slices = [...complete, ...paired.slices].sort((a, b) => a.start - b.start || b.end - a.end);
    let latest = -Infinity;
    threads.set(thread, { slices, latestEnds: slices.map(({ end }) => (latest = Math.max(latest, end))) });
    return [...paired.problems, ...overlaps(slices)];
  });
  return { threads, problems };
}

/** True if one of the thread's slices spans the time, including its start and its end. */
export function encloses({ slices, latestEnds }: OneThread, time: number): boolean {
  let [begun, more] = [0, slices.length];
  while (begun < more) {
    const middle = Math.trunc((begun + more) / 2);
    if ((slices[middle]?.start ?? Infinity) <= time) begun = middle + 1;
    else more = middle;
  }
  return (latestEnds[begun - 1] ?? -Infinity) + HALF_NANOSECOND > time;
}

function byThread(events: readonly TraceEvent[]): ReadonlyMap<string, readonly TraceEvent[]> {
  const threads = new Map<string, TraceEvent[]>();
  for (const event of events) {
    if (event.phase !== 'X' && event.phase !== 'B' && event.phase !== 'E') continue;
    const thread = threadOf(event);
    const own = threads.get(thread);
    if (own === undefined) threads.set(thread, [event]);
    else own.push(event);
  }
  return threads;
}

/**
 * Pairs each `E` with the last open `B`, in the order of time; events at the same time keep the
 * trace's order.
 */
function pair(events: readonly TraceEvent[]): {
  readonly slices: readonly ThreadSlice[];
  readonly problems: readonly TraceProblem[];
} {
  const problems: TraceProblem[] = [];
  const open: TraceEvent[] = [];
  const slices: ThreadSlice[] = [];
  const durations = events.filter(({ phase }) => phase !== 'X').sort((a, b) => timeOf(a) - timeOf(b));
  for (const event of durations) {
    if (event.phase === 'B') {
      open.push(event);
      continue;
    }
    const begin = open.pop();
    if (begin === undefined) problems.push({ kind: 'unmatchedEnd', event: event.index });
    else slices.push({ event: begin.index, start: timeOf(begin), end: timeOf(event) });
  }
  for (const { index } of open) problems.push({ kind: 'unmatchedBegin', event: index });
  return { slices, problems };
}

function overlaps(sorted: readonly ThreadSlice[]): readonly TraceProblem[] {
  const problems: TraceProblem[] = [];
  const around: ThreadSlice[] = [];
  for (const slice of sorted) {
    while ((around.at(-1)?.end ?? Infinity) <= slice.start + HALF_NANOSECOND) around.pop();
    const parent = around.at(-1);
    if (parent !== undefined && slice.end > parent.end + HALF_NANOSECOND) {
      problems.push({ kind: 'overlap', event: slice.event, other: parent.event });
    }
    around.push(slice);
  }
  return problems;
}
