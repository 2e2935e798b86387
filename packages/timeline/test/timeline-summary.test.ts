import { isNcclError } from '@nccl-ts/core';
import { activityOf, createTimelineRecorder, renderTime, timelineSummary, tracksOf } from '@nccl-ts/timeline';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { putAndSignal } from './put-and-signal.ts';
import { properties, slicesOf, timelines } from './random-timeline.ts';

describe('timelineSummary', () => {
  it('counts every moment of a track once', () => {
    const recorder = createTimelineRecorder();
    recorder.openProcess(0);
    const cta = recorder.openTrack(0, { kind: 'cta', name: 'CTA 0' });
    const queue = recorder.openTrack(0, { kind: 'network', name: 'context 0 to rank 1' });
    recorder.slice(cta, { name: 'kernel', category: 'launch', start: 10, end: 100 });
    recorder.slice(cta, { name: 'barrier', category: 'barrier', start: 20, end: 70 });
    recorder.slice(cta, { name: 'wait for rank 1', category: 'wait', start: 25, end: 65 });
    recorder.slice(cta, { name: 'put', category: 'put', start: 80, end: 85 });
    recorder.slice(queue, { name: '4 KiB', category: 'network', start: 84, end: 130 });
    const early = recorder.flow('signal', { track: queue, time: 84 });
    recorder.finish(early, { track: queue, time: 90 });
    const [summary] = timelineSummary(recorder.build()).processes;
    expect(summary).toMatchObject({
      rank: 0,
      name: 'rank 0',
      end: 130,
      totals: { busy: 90 - 50, wait: 50, network: 46 },
      byCategory: { launch: 35, compute: 0, wait: 40, put: 5, get: 0, signal: 0, barrier: 10, network: 46 },
      longestWaits: [
        { track: cta, time: 40, slice: { name: 'wait for rank 1' }, endedBy: undefined },
        { track: cta, time: 10, slice: { name: 'barrier' } },
      ],
    });
  });

  it('names the longest waits and their ends', () => {
    const timeline = putAndSignal();
    const { end, processes } = timelineSummary(timeline, { longestWaits: 2 });
    expect(end).toBe(timeline.end);
    const [first] = processes;
    expect(first?.longestWaits.map(({ slice, time }) => [slice.name, time])).toEqual([
      ['waitSignal', 5460],
      ['waitSignal', 4800],
    ]);
    const woken = first?.longestWaits[1]?.endedBy;
    const sender = tracksOf(timeline).find(({ id }) => id === woken?.from.track);
    expect([woken?.name, sender?.rank]).toEqual(['signal', 1]);
    expect(timelineSummary(timeline, { longestWaits: 0 }).processes[0]?.longestWaits).toEqual([]);
  });

  it('takes the last of several arrivals as the end of a wait', () => {
    const recorder = createTimelineRecorder();
    recorder.openProcess(0);
    const track = recorder.openTrack(0, { kind: 'cta', name: 'CTA 0' });
    recorder.slice(track, { name: 'wait', category: 'wait', start: 0, end: 90 });
    for (const time of [30, 90, 60]) recorder.finish(recorder.flow(`at ${time}`, { track, time: 1 }), { track, time });
    const [summary] = timelineSummary(recorder.build()).processes;
    expect(summary?.longestWaits[0]?.endedBy?.name).toBe('at 90');
  });

  it("adds up to the time of the tracks' slices", () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        const { processes } = timelineSummary(timeline, { longestWaits: 1e6 });
        const roots = slicesOf(timeline).reduce(
          (sum, { depth, start, end }) => (depth === 0 ? sum + end - start : sum),
          0,
        );
        const spent = processes.reduce((sum, { totals: { busy, wait, network } }) => sum + busy + wait + network, 0);
        // Differences of large times are not exact.
        expect(Math.abs(spent - roots)).toBeLessThanOrEqual(
          1e-9 * (timeline.end + 1) * (1 + slicesOf(timeline).length),
        );
        for (const { totals, longestWaits } of processes) {
          const waits = longestWaits.reduce((sum, { time }) => sum + time, 0);
          expect(waits).toBeCloseTo(totals.wait, 0);
          expect(longestWaits.every(({ slice }) => activityOf(slice.category) === 'wait')).toBe(true);
        }
      }),
      properties,
    );
  });

  it('refuses a wrong number of waits', () => {
    let thrown: unknown;
    try {
      timelineSummary(putAndSignal(), { longestWaits: -1 });
    } catch (error) {
      thrown = error;
    }
    expect(isNcclError(thrown, 'NCCL_INVALID_ARGUMENT')).toBe(true);
  });
});

describe('renderTime', () => {
  it.each([
    [0, '0 ns'],
    [0.25, '0.25 ns'],
    [999.5, '999.5 ns'],
    [1000, '1 µs'],
    [1250, '1.25 µs'],
    [123_456, '123.5 µs'],
    [4_600_000, '4.6 ms'],
    [61e9, '61 s'],
  ])('writes %d as %s', (nanoseconds, text) => {
    expect(renderTime(nanoseconds)).toBe(text);
  });
});
