import { isNcclError, type ErrorCode } from '@nccl-ts/core';
import { createTimelineRecorder, latestTime, type NewSlice, type TimelineRecorder } from '@nccl-ts/timeline';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { properties, slicesOf, timelines } from './random-timeline.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

function expectRefusal(action: () => unknown, code: ErrorCode, message: string | RegExp): void {
  let thrown: unknown;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  expect(isNcclError(thrown, code)).toBe(true);
  expect(thrown).toMatchObject({ message: typeof message === 'string' ? message : expect.stringMatching(message) });
}

function expectProblem(recorder: TimelineRecorder, problem: string, message: string): void {
  expectRefusal(() => recorder.build(), 'NCCL_INVALID_USAGE', message);
  expect(() => recorder.build()).toThrowError(
    expect.objectContaining({ details: expect.objectContaining({ problem }) }),
  );
}

function oneTrack(): { readonly recorder: TimelineRecorder; readonly track: number } {
  const recorder = createTimelineRecorder();
  recorder.openProcess(0);
  return { recorder, track: recorder.openTrack(0, { kind: 'cta', name: 'CTA 0' }) };
}

function compute(name: string, start: number, end: number): NewSlice {
  return { name, category: 'compute', start, end };
}

describe('a recording', () => {
  it('is in order, whatever the order of recording', () => {
    const recorder = createTimelineRecorder();
    recorder.openProcess(3, 'the last one');
    recorder.openProcess(1);
    const queue = recorder.openTrack(1, { kind: 'network', name: 'context 0 to rank 3' });
    const second = recorder.openTrack(1, { kind: 'cta', name: 'CTA 1', order: 1 });
    const first = recorder.openTrack(1, { kind: 'cta', name: 'CTA 0' });
    recorder.slice(first, compute('late', 70, 80));
    recorder.slice(first, compute('inner', 20, 30.5));
    recorder.slice(first, { name: 'outer', category: 'launch', start: 10, end: 90, args: { block: 32 } });
    recorder.slice(queue, { name: 'put', category: 'network', start: 40, end: 95 });
    const flow = recorder.flow('put', { track: first, time: 30.5 });
    recorder.finish(flow, { track: queue, time: 40 });
    expect(recorder.build()).toEqual({
      processes: [
        {
          rank: 1,
          name: 'rank 1',
          tracks: [
            {
              id: first,
              rank: 1,
              kind: 'cta',
              name: 'CTA 0',
              slices: [
                { track: first, name: 'outer', category: 'launch', start: 10, end: 90, depth: 0, args: { block: 32 } },
                { track: first, name: 'inner', category: 'compute', start: 20, end: 30.5, depth: 1, args: {} },
                { track: first, name: 'late', category: 'compute', start: 70, end: 80, depth: 1, args: {} },
              ],
            },
            { id: second, rank: 1, kind: 'cta', name: 'CTA 1', slices: [] },
            {
              id: queue,
              rank: 1,
              kind: 'network',
              name: 'context 0 to rank 3',
              slices: [{ track: queue, name: 'put', category: 'network', start: 40, end: 95, depth: 0, args: {} }],
            },
          ],
        },
        { rank: 3, name: 'the last one', tracks: [] },
      ],
      flows: [
        {
          id: flow,
          name: 'put',
          from: { track: first, time: 30.5, slice: 1 },
          to: { track: queue, time: 40, slice: 0 },
        },
      ],
      start: 10,
      end: 95,
    });
  });

  it('is empty at first', () => {
    expect(createTimelineRecorder().build()).toEqual({ processes: [], flows: [], start: 0, end: 0 });
  });

  it('nests in the order of the starts, even if all have the same times', () => {
    const { recorder, track } = oneTrack();
    recorder.begin(track, { name: 'outer', category: 'barrier', start: 5, args: { index: 1, phase: 0 } });
    recorder.begin(track, { name: 'inner', category: 'wait', start: 5 });
    recorder.end(track, 9);
    recorder.end(track, 9, { phase: 1 });
    expect(slicesOf(recorder.build())).toMatchObject([
      { name: 'outer', depth: 0, args: { index: 1, phase: 1 } },
      { name: 'inner', depth: 1, args: {} },
    ]);
  });

  it('does not change when the recorder continues', () => {
    const { recorder, track } = oneTrack();
    recorder.slice(track, compute('one', 0, 5));
    const before = recorder.build();
    const copy = structuredClone(before);
    recorder.slice(track, compute('two', 5, 6));
    expect(before).toEqual(copy);
    expect(slicesOf(recorder.build())).toHaveLength(2);
  });

  it.for(slow)('is deeply frozen, nested, and survives JSON', () => {
    fc.assert(
      fc.property(timelines, (timeline) => {
        expectFrozen(timeline);
        expect(JSON.parse(JSON.stringify(timeline))).toEqual(timeline);
        for (const process of timeline.processes) {
          for (const { slices } of process.tracks) expect(misplaced(slices)).toEqual([]);
        }
        for (const { from, to } of timeline.flows) expect(from.time).toBeLessThanOrEqual(to.time);
        expect(timeline.end).toBe(Math.max(0, ...slicesOf(timeline).map(({ end }) => end)));
      }),
      properties,
    );
  });
});

/** Returns pairs of slices that are neither disjoint nor nested, by comparing all of them. */
function misplaced(
  slices: readonly { readonly start: number; readonly end: number; readonly depth: number }[],
): unknown[] {
  return slices.flatMap((a, i) => {
    const around = slices.slice(0, i).filter((b) => b.end >= a.end && b.end > a.start);
    const crossing = slices.slice(0, i).filter((b) => b.end > a.start && b.end < a.end);
    return around.length === a.depth && crossing.length === 0 ? [] : [{ a, around, crossing }];
  });
}

function expectFrozen(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect(Object.isFrozen(value)).toBe(true);
  for (const inner of Object.values(value)) expectFrozen(inner);
}

describe('flows', () => {
  it('touch the intended slice if one ends and the next begins', () => {
    const { recorder, track } = oneTrack();
    recorder.slice(track, { name: 'kernel', category: 'launch', start: 0, end: 100 });
    recorder.slice(track, { name: 'wait', category: 'wait', start: 10, end: 50 });
    recorder.slice(track, compute('reduce', 50, 70));
    recorder.slice(track, { name: 'mark', category: 'signal', start: 90, end: 90 });
    const touched = ([time, side]: readonly [number, ('ending' | 'starting')?]): string | undefined => {
      const point = side === undefined ? { track, time } : { track, time, side };
      const id = recorder.flow('signal', point);
      recorder.finish(id, { track, time: 100 });
      const built = recorder.build();
      return slicesOf(built)[built.flows.at(-1)?.from.slice ?? -1]?.name;
    };
    expect([[50], [50, 'ending'], [50, 'starting']].map((point) => touched(point as [number]))).toEqual([
      'wait',
      'wait',
      'reduce',
    ]);
    // Expects the deeper slice unless stated otherwise.
    expect(touched([10])).toBe('wait');
    expect(touched([10, 'ending'])).toBe('kernel');
    expect(touched([70])).toBe('reduce');
    expect(touched([70, 'starting'])).toBe('kernel');
    expect(touched([90])).toBe('mark');
    expect(touched([0])).toBe('kernel');
    expect(touched([100])).toBe('kernel');
    expect(touched([80])).toBe('kernel');
  });

  it('must touch a slice', () => {
    const { recorder, track } = oneTrack();
    recorder.slice(track, compute('work', 0, 10));
    recorder.finish(recorder.flow('signal', { track, time: 10 }), { track, time: 10.5 });
    expectProblem(
      recorder,
      'loose',
      'flow "signal" arrives at rank 0, track "CTA 0" at 10.5 ns, where that track has no slice: add the slice that does ' +
        'this, or drop the flow.',
    );
  });

  it('arrive once, and not before they were sent', () => {
    const { recorder, track } = oneTrack();
    recorder.slice(track, compute('work', 0, 10));
    const flow = recorder.flow('signal', { track, time: 5 });
    expectRefusal(
      () => recorder.finish(flow, { track, time: 4 }),
      'NCCL_INVALID_ARGUMENT',
      'flow "signal" arrives at 4 ns, before it was sent at 5 ns: time goes forward, so give the receiver\'s time after ' +
        "it has taken the sender's into account.",
    );
    expectProblem(
      recorder,
      'flight',
      'flow "signal", sent at 5 ns by rank 0, track "CTA 0", has not arrived: call finish for it, drop when nothing shows ' +
        'its arrival, or cut when the launch has stopped.',
    );
    recorder.finish(flow, { track, time: 5 });
    const again = [() => recorder.finish(flow, { track, time: 6 }), () => recorder.drop(flow)];
    for (const action of again) {
      expectRefusal(
        action,
        'NCCL_INVALID_ARGUMENT',
        'flow 0 has arrived: each flow that this recorder has sent arrives once or is dropped.',
      );
    }
    expectRefusal(() => recorder.drop(7), 'NCCL_INVALID_ARGUMENT', /^flow 7 is unknown/);
    const lost = recorder.flow('signal', { track, time: 5 });
    recorder.drop(lost);
    expectRefusal(() => recorder.finish(lost, { track, time: 6 }), 'NCCL_INVALID_ARGUMENT', /^flow 1 was dropped/);
    expect(recorder.build().flows).toHaveLength(1);
  });
});

describe('a recorder refuses', () => {
  it('slices of one track that overlap', () => {
    const { recorder, track } = oneTrack();
    recorder.slice(track, compute('second', 6, 12));
    recorder.slice(track, compute('first', 0, 10));
    expectProblem(
      recorder,
      'overlap',
      'rank 0, track "CTA 0": slice "second" (6 to 12 ns) begins inside of "first" (0 to 10 ns) and ends after it. Slices ' +
        'of one track must be disjoint or lie within each other: end the first one earlier, or put the second one on a ' +
        'separate track.',
    );
  });

  it('open slices', () => {
    const { recorder, track } = oneTrack();
    expectRefusal(
      () => recorder.end(track, 5),
      'NCCL_INVALID_USAGE',
      'track "CTA 0" of rank 0 has no open slice to end: begin one first.',
    );
    recorder.begin(track, { name: 'wait', category: 'wait', start: 12 });
    expectProblem(
      recorder,
      'open',
      'rank 0, track "CTA 0": slice "wait", which begins at 12 ns, has not ended: call end for it, or cut when the launch ' +
        'has stopped.',
    );
    expectRefusal(
      () => recorder.end(track, 11),
      'NCCL_INVALID_ARGUMENT',
      /^slice "wait" ends at 11 ns, before its start/,
    );
    // A refused call has no effect.
    recorder.end(track, 13);
    expect(recorder.build().end).toBe(13);
  });

  it('unknown tracks and ranks', () => {
    const { recorder, track } = oneTrack();
    const unknown = 'track 1 is not one of the 1 of this recorder: use the result of its openTrack.';
    const slice = compute('x', 0, 1);
    const flow = recorder.flow('signal', { track, time: 0 });
    const calls = [
      () => recorder.slice(1, slice),
      () => recorder.begin(1, slice),
      () => recorder.end(1, 0),
      () => recorder.flow('signal', { track: 1, time: 0 }),
      () => recorder.finish(flow, { track: 1, time: 0 }),
    ];
    for (const call of calls) expectRefusal(call, 'NCCL_INVALID_ARGUMENT', unknown);
    expectRefusal(
      () => recorder.openTrack(2, { kind: 'cta', name: 'CTA 0' }),
      'NCCL_INVALID_ARGUMENT',
      'rank 2 has no process: call openProcess(2) first.',
    );
    expectRefusal(
      () => recorder.openProcess(0),
      'NCCL_INVALID_ARGUMENT',
      'rank 0 has a process already: open it once, and then its tracks.',
    );
    expectRefusal(() => recorder.openProcess(-1), 'NCCL_INVALID_ARGUMENT', /^rank must be an integer from 0/);
    expectRefusal(
      () => recorder.openTrack(0, { kind: 'cta', name: 'CTA 1', order: NaN }),
      'NCCL_INVALID_ARGUMENT',
      'order of track "CTA 1" must be a number; given NaN.',
    );
  });

  it('values that a timeline cannot have', () => {
    const { recorder, track } = oneTrack();
    for (const [start, end, what] of [
      [-1, 5, 'start of slice "x"'],
      [NaN, 5, 'start of slice "x"'],
      [0, Infinity, 'end of slice "x"'],
      [0, latestTime + 1, 'end of slice "x"'],
    ] as const) {
      expectRefusal(
        () => recorder.slice(track, compute('x', start, end)),
        'NCCL_INVALID_ARGUMENT',
        new RegExp(`^${what} must be a number of nanoseconds from 0 to 1125899906842624`),
      );
    }
    expectRefusal(() => recorder.slice(track, compute('x', 5, 4)), 'NCCL_INVALID_ARGUMENT', /before its start/);
    expectRefusal(
      () => recorder.slice(track, { ...compute('x', 0, 1), args: { bytes: Infinity } }),
      'NCCL_INVALID_ARGUMENT',
      '"bytes" of slice "x" must be a string, a boolean or a finite number, which JSON can hold; given Infinity.',
    );
    const odd: NewSlice = JSON.parse('{ "name": "x", "category": "sleep", "start": 0, "end": 1 }');
    expectRefusal(
      () => recorder.slice(track, odd),
      'NCCL_INVALID_ARGUMENT',
      /^the category of slice "x" must be one of/,
    );
    expect(recorder.build().end).toBe(0);
  });
});

describe('a cut', () => {
  it('ends open slices and drops pending flows', () => {
    const { recorder, track } = oneTrack();
    const other = recorder.openTrack(0, { kind: 'cta', name: 'CTA 1' });
    recorder.begin(track, { name: 'kernel', category: 'launch', start: 0 });
    recorder.begin(track, { name: 'barrier', category: 'barrier', start: 20 });
    recorder.slice(track, { name: 'wait', category: 'wait', start: 20, end: 60 });
    recorder.begin(other, { name: 'kernel', category: 'launch', start: 0, args: { block: 1 } });
    recorder.flow('signal', { track, time: 30 });
    recorder.cut(50);
    const cut = recorder.build();
    expect(slicesOf(cut).map(({ name, end, args }) => [name, end, args])).toEqual([
      ['kernel', 60, { unfinished: true }],
      ['barrier', 60, { unfinished: true }],
      ['wait', 60, {}],
      ['kernel', 50, { block: 1, unfinished: true }],
    ]);
    expect(cut.flows).toEqual([]);
    expectRefusal(() => recorder.cut(-1), 'NCCL_INVALID_ARGUMENT', /^time of a cut must be a number of nanoseconds/);
  });
});
