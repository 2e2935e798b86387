import { showValue } from '@nccl-ts/core';

import { checkEvent, type TraceEvent } from './check-event.ts';
import { checkFlows } from './check-flows.ts';
import { isObject } from './fields.ts';
import { metadataOwner } from './phase-schema.ts';
import { checkSlices } from './thread-slices.ts';
import type { TraceProblem } from './trace-problem.ts';

/**
 * Checks a Chrome trace, such as a parsed file, against the Trace Event Format: in both of its JSON
 * formats, with events of every phase. It does not depend on this package's writer. An empty result
 * means that every event has the fields of its phase, and that slices of one thread nest or are
 * disjoint, as viewers require. It also means that every flow starts once, finishes once and not
 * earlier, and touches slices at all of its events, and that no process or thread is named twice.
 *
 * Events may be in any order. Asynchronous events, objects, samples and memory dumps are checked
 * only one by one, and not for consistency. Events with errors are left out of the checks of
 * several events.
 *
 * @see https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
export function checkChromeTrace(value: unknown): readonly TraceProblem[] {
  const given: unknown = isObject(value) ? value['traceEvents'] : value;
  if (!Array.isArray(given)) return [{ kind: 'shape', given: showValue(value) }];
  const checked = given.map((event: unknown, index) => checkEvent(event, index));
  const events = checked.flatMap((one) => (one.ok ? [one.event] : []));
  const { threads, problems } = checkSlices(events);
  return [
    ...timeUnit(value),
    ...checked.flatMap((one) => (one.ok ? [] : one.problems)),
    ...duplicates(events),
    ...problems,
    ...checkFlows(events, threads),
  ];
}

function timeUnit(value: unknown): readonly TraceProblem[] {
  const unit = isObject(value) ? value['displayTimeUnit'] : undefined;
  if (unit === undefined || unit === 'ms' || unit === 'ns') return [];
  return [{ kind: 'timeUnit', given: showValue(unit) }];
}

function duplicates(events: readonly TraceEvent[]): readonly TraceProblem[] {
  const seen = new Map<string, number>();
  return events.flatMap(({ index, phase, fields }): readonly TraceProblem[] => {
    const name = String(fields['name']);
    const owner = phase === 'M' ? metadataOwner(name) : undefined;
    if (owner === undefined) return [];
    const key = JSON.stringify([name, fields['pid'], owner === 'thread' ? fields['tid'] : undefined]);
    const earlier = seen.get(key);
    if (earlier !== undefined) return [{ kind: 'duplicate', event: index, name, earlier }];
    seen.set(key, index);
    return [];
  });
}
