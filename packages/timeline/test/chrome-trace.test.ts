import {
  checkChromeTrace,
  chromeTrace,
  createTimelineRecorder,
  writeChromeTrace,
  type ChromeTrace,
  type CompleteEvent,
  type FlowEvent,
} from '@nccl-ts/timeline';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { putAndSignal } from './put-and-signal.ts';
import { properties, slicesOf, timelines } from './random-timeline.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function completeEvents({ traceEvents }: ChromeTrace): readonly CompleteEvent[] {
  return traceEvents.filter((event) => event.ph === 'X');
}

function flowEvents({ traceEvents }: ChromeTrace): readonly FlowEvent[] {
  return traceEvents.flatMap((event) => (event.ph === 's' || event.ph === 'f' ? [event] : []));
}

describe('chromeTrace', () => {
  it('equals the expected trace of a timeline', async () => {
    await expect(writeChromeTrace(chromeTrace(putAndSignal()))).toMatchFileSnapshot('snapshots/put-and-signal.json');
  });

  it.for(slow)('is a valid trace, for any recording', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const trace = chromeTrace(timeline);
        expect(checkChromeTrace(trace)).toEqual([]);
        expect(checkChromeTrace(JSON.parse(writeChromeTrace(trace)))).toEqual([]);
      }),
      properties,
    );
  });

  it.for(slow)('has every slice, to the nanosecond, and every flow, with unique ids', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const trace = chromeTrace(timeline);
        const key = (...parts: readonly (string | number)[]): string => JSON.stringify(parts);
        expect(
          completeEvents(trace)
            .map(({ name, ts, dur }) => key(name, ts, dur))
            .sort(),
        ).toEqual(
          slicesOf(timeline)
            .map(({ name, start, end }) => {
              const from = Math.round(start);
              return key(name, from / 1000, (Math.round(end) - from) / 1000);
            })
            .sort(),
        );
        for (const phase of ['s', 'f']) {
          const ids = flowEvents(trace).flatMap(({ ph, id }) => (ph === phase ? [id] : []));
          expect(ids.sort((a, b) => a - b)).toEqual(timeline.flows.map(({ id }) => id));
        }
      }),
      properties,
    );
  });

  it('numbers processes and threads unambiguously', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const names = chromeTrace(timeline).traceEvents.filter((event) => event.ph === 'M');
        const pids = names.flatMap(({ name, pid }) => (name === 'process_name' ? [pid] : []));
        const tids = names.flatMap(({ name, tid }) => (name === 'thread_name' ? [tid ?? 0] : []));
        expect(pids).toEqual(timeline.processes.map(({ rank }) => rank + 1));
        expect(new Set([0, ...pids, ...tids]).size).toBe(1 + pids.length + tids.length);
      }),
      properties,
    );
  });

  it.for(slow)('is deterministic, in the order of times', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const trace = chromeTrace(timeline);
        expect(writeChromeTrace(chromeTrace(structuredClone(timeline)))).toBe(writeChromeTrace(trace));
        const times = trace.traceEvents.flatMap((event) => (event.ph === 'M' ? [] : [event.ts]));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
      properties,
    );
  });

  it('keeps arrows inside their slices, even if the next one touches', () => {
    const recorder = createTimelineRecorder();
    recorder.openProcess(0);
    const sender = recorder.openTrack(0, { kind: 'cta', name: 'CTA 0' });
    const receiver = recorder.openTrack(0, { kind: 'cta', name: 'CTA 1' });
    recorder.slice(sender, { name: 'signal', category: 'signal', start: 100, end: 200 });
    recorder.slice(receiver, { name: 'wait', category: 'wait', start: 50, end: 300.4 });
    recorder.slice(receiver, { name: 'next', category: 'compute', start: 300.4, end: 400 });
    recorder.finish(recorder.flow('a', { track: sender, time: 200 }), { track: receiver, time: 300.4 });
    // Nothing is subtracted if that would reverse the arrow.
    recorder.finish(recorder.flow('b', { track: receiver, time: 300.4, side: 'starting' }), {
      track: receiver,
      time: 300.4,
      side: 'ending',
    });
    expect(flowEvents(chromeTrace(recorder.build())).map(({ ph, name, ts }) => [ph, name, ts])).toEqual([
      ['s', 'a', 0.199],
      ['f', 'a', 0.299],
      ['s', 'b', 0.3],
      ['f', 'b', 0.3],
    ]);
  });
});

describe('writeChromeTrace', () => {
  it('writes an empty trace for an empty timeline', () => {
    const text = writeChromeTrace(chromeTrace(createTimelineRecorder().build()));
    expect(JSON.parse(text)).toEqual({ displayTimeUnit: 'ns', traceEvents: [] });
  });
});
