import { showValue } from '@nccl-ts/core';

import type { TraceEvent } from './check-event.ts';
import { encloses, threadOf, timeOf, type OneThread } from './thread-slices.ts';
import type { TraceProblem } from './trace-problem.ts';

/**
 * Checks that every flow starts once and finishes once, later, and that each of its events touches
 * a slice. Events belong to one flow if their ids, names and categories are equal.
 */
export function checkFlows(
  events: readonly TraceEvent[],
  threads: ReadonlyMap<string, OneThread>,
): readonly TraceProblem[] {
  const flows = new Map<string, TraceEvent[]>();
  for (const event of events) {
    if (event.phase !== 's' && event.phase !== 't' && event.phase !== 'f') continue;
    const { cat, name, id, scope } = event.fields;
    const key = JSON.stringify([cat, name, id, scope]);
    const flow = flows.get(key);
    if (flow === undefined) flows.set(key, [event]);
    else flow.push(event);
  }
  return [...flows.values()].flatMap((flow) => [...order(flow), ...flow.flatMap((event) => binding(event, threads))]);
}

function order(flow: readonly TraceEvent[]): readonly TraceProblem[] {
  const [first] = flow;
  if (first === undefined) return [];
  const starts = flow.filter(({ phase }) => phase === 's');
  const finishes = flow.filter(({ phase }) => phase === 'f');
  const steps = flow.filter(({ phase }) => phase === 't');
  const [start] = starts;
  const [finish] = finishes;
  const name = nameOf(first);
  return [
    ...counted('flowStarts', starts, first, name),
    ...counted('flowFinishes', finishes, first, name),
    ...(start === undefined
      ? []
      : [...finishes, ...steps].flatMap((later) => backwards(later, start, start, later, name))),
    ...(finish === undefined ? [] : steps.flatMap((step) => backwards(step, finish, step, finish, name))),
  ];
}

/**
 * Requires exactly one. The problem names the last event if there are too many, or an event of the
 * flow if there is none.
 */
function counted(
  kind: 'flowStarts' | 'flowFinishes',
  found: readonly TraceEvent[],
  first: TraceEvent,
  flow: string,
): readonly TraceProblem[] {
  if (found.length === 1) return [];
  return [{ kind, event: (found.at(-1) ?? first).index, times: found.length, flow }];
}

function backwards(
  event: TraceEvent,
  other: TraceEvent,
  earlier: TraceEvent,
  later: TraceEvent,
  flow: string,
): readonly TraceProblem[] {
  if (timeOf(earlier) <= timeOf(later)) return [];
  return [{ kind: 'flowBackwards', event: event.index, other: other.index, flow }];
}

function binding(event: TraceEvent, threads: ReadonlyMap<string, OneThread>): readonly TraceProblem[] {
  const own = threads.get(threadOf(event)) ?? { slices: [], latestEnds: [] };
  const toNext = event.phase === 'f' && event.fields['bp'] === undefined;
  const time = timeOf(event);
  const touches = toNext ? (own.slices.at(-1)?.start ?? -Infinity) >= time : encloses(own, time);
  return touches ? [] : [{ kind: 'flowLoose', event: event.index, flow: nameOf(event) }];
}

function nameOf({ fields }: TraceEvent): string {
  return `${showValue(fields['name'])} ${showValue(fields['id'])}`;
}
