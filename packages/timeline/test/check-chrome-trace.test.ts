import { checkChromeTrace, chromeTrace, renderTraceProblem } from '@nccl-ts/timeline';
import { describe, expect, it } from 'vitest';

import { putAndSignal } from './put-and-signal.ts';

type Event = Record<string, unknown>;

const on = { pid: 1, tid: 2 };
const slice: Event = { ph: 'X', name: 'work', cat: 'compute', ...on, ts: 10, dur: 5 };
const inner: Event = { ...slice, name: 'inner', ts: 11, dur: 2 };
const other: Event = { ...slice, name: 'wait', tid: 3, ts: 0, dur: 40 };
const start: Event = { ph: 's', name: 'signal', cat: 'flow', id: 1, ...on, ts: 12 };
const finish: Event = { ...start, ph: 'f', tid: 3, ts: 30, bp: 'e' };
const named: Event = { ph: 'M', name: 'thread_name', ...on, args: { name: 'CTA 0' } };
const titled: Event = { ph: 'M', name: 'process_name', pid: 1, args: { name: 'rank 0' } };

/** A valid trace, with one of everything that this package writes. */
const good = [titled, named, slice, inner, other, start, finish];

function without(event: Event, field: string): Event {
  return Object.fromEntries(Object.entries(event).filter(([key]) => key !== field));
}

/** Returns the valid trace with one event replaced or removed. */
function mutant(event: Event, by?: Event): Event[] {
  return good.flatMap((one) => (one === event ? (by === undefined ? [] : [by]) : [one]));
}

function texts(trace: unknown): readonly string[] {
  return checkChromeTrace(trace).map(renderTraceProblem);
}

describe('checkChromeTrace', () => {
  it('finds no problems in valid traces, as an array and as an object, in any order', () => {
    expect(checkChromeTrace(good)).toEqual([]);
    expect(checkChromeTrace(good.toReversed())).toEqual([]);
    expect(checkChromeTrace({ traceEvents: good, displayTimeUnit: 'ms', otherData: {} })).toEqual([]);
    expect(checkChromeTrace([])).toEqual([]);
  });

  it('finds values that are not traces', () => {
    const shape = 'the trace must be an array of events, or an object whose traceEvents is one; it is';
    expect(texts('[]')).toEqual([`${shape} "[]"`]);
    expect(texts(null)).toEqual([`${shape} null`]);
    expect(texts({ traceEvents: {} })).toEqual([`${shape} {"traceEvents":{}}`]);
    expect(texts({ traceEvents: [], displayTimeUnit: 'us' })).toEqual([
      'displayTimeUnit must be "ms" or "ns"; it is "us"',
    ]);
    expect(texts([7])).toEqual(['event 0: must be an object; it is 7']);
    expect(texts([without(slice, 'ph')])).toEqual(['event 0: ph must be a phase of the format; it is undefined']);
    expect(texts([{ ...slice, ph: 'x' }])).toEqual(['event 0: ph must be a phase of the format; it is "x"']);
    expect(texts([{ ...slice, ph: 'toString' }])).toEqual([
      'event 0: ph must be a phase of the format; it is "toString"',
    ]);
  });

  it.each([
    [slice, 'name', 'a string'],
    [slice, 'ts', 'a number of microseconds, not negative'],
    [slice, 'dur', 'a number of microseconds, not negative'],
    [slice, 'pid', 'an integer'],
    [slice, 'tid', 'an integer'],
    [finish, 'id', 'a string or an integer'],
    [finish, 'ts', 'a number of microseconds, not negative'],
    [named, 'tid', 'an integer'],
    [named, 'args', 'an object whose name is a string'],
    [titled, 'pid', 'an integer'],
    [titled, 'name', 'a string'],
  ])('finds that %o lacks its %s', (event, field, expected) => {
    const found = texts(mutant(event, without(event, field)));
    expect(found).toContain(
      `event ${good.indexOf(event)}: an event of phase ${String(event['ph'])} needs ${field}: ${expected}`,
    );
  });

  it.each([
    [slice, 'ts', -1, 'a number of microseconds, not negative'],
    [slice, 'ts', '10', 'a number of microseconds, not negative'],
    [slice, 'ts', NaN, 'a number of microseconds, not negative'],
    [slice, 'dur', -0.001, 'a number of microseconds, not negative'],
    [slice, 'name', 5, 'a string'],
    [slice, 'cat', ['a'], 'a string'],
    [slice, 'pid', 1.5, 'an integer'],
    [slice, 'tid', 'CTA 0', 'an integer'],
    [slice, 'args', [], 'an object'],
    [slice, 'tdur', 'long', 'a number of microseconds, not negative'],
    [slice, 'stack', [1], 'an array of strings'],
    [start, 'id', 0.5, 'a string or an integer'],
    [finish, 'bp', 's', 'one of "e"'],
    [named, 'args', { name: 7 }, 'an object whose name is a string'],
  ])('finds errors of %o when its %s is %o', (event, field, value, expected) => {
    const problems = checkChromeTrace(mutant(event, { ...event, [field]: value }));
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: 'wrong', event: good.indexOf(event), phase: event['ph'], field, expected }),
    );
  });

  it('supports the other phases', () => {
    const at = { name: 'x', cat: 'c', pid: 1, tid: 2, ts: 5 };
    const fine = [
      { ph: 'B', ...at },
      { ph: 'E', pid: 1, tid: 2, ts: 6 },
      { ph: 'i', ...at, s: 'g' },
      { ph: 'I', ...at },
      { ph: 'C', name: 'bytes', pid: 1, ts: 0, args: { sent: 1, received: 2.5 } },
      ...['b', 'n', 'e', 'S', 'T', 'p', 'F'].map((ph) => ({ ph, ...at, id: '0x1' })),
      { ph: 'b', ...at, id2: { local: '0x1' } },
      { ph: 'P', ...at },
      ...['N', 'D'].map((ph) => ({ ph, ...at, id: 1 })),
      { ph: 'O', ...at, id: 1, args: { snapshot: {} } },
      ...['V', 'v'].map((ph) => ({ ph, ...at, id: '0x2' })),
      { ph: 'R', ...at },
      { ph: 'c', name: 'clock_sync', args: { sync_id: 'a' } },
      ...['(', ')'].map((ph) => ({ ph, ...at, id: 3 })),
      { ph: 'M', name: 'process_labels', pid: 1, args: { labels: 'a' } },
      { ph: 'M', name: 'process_sort_index', pid: 1, args: { sort_index: -1 } },
      { ph: 'M', name: 'num_cpus', pid: 1, args: { number: 2 } },
    ];
    expect(texts(fine)).toEqual([]);
    expect(
      texts([
        { ph: 'i', ...at, s: 'x' },
        { ph: 'C', name: 'bytes', pid: 1, ts: 0, args: {} },
        { ph: 'C', name: 'bytes', pid: 1, ts: 0, args: { sent: '1' } },
        { ph: 'b', ...at },
        { ph: 'e', ...at, id2: { near: 'x' } },
        { ph: 'n', ...at, id: 1, id2: { local: '1' } },
        { ph: 'O', ...at, id: 1 },
        { ph: 'c', name: 'clock_sync', args: {} },
        { ph: 'M', name: 'thread_sort_index', pid: 1, tid: 1, args: { sort_index: 'first' } },
        { ph: 'M', name: 'num_cpus' },
      ]),
    ).toMatchInlineSnapshot(`
      [
        "event 0: s of an event of phase i must be one of "g", "p", "t"; it is "x"",
        "event 1: args of an event of phase C must be an object of one or more numbers; it is {}",
        "event 2: args of an event of phase C must be an object of one or more numbers; it is {"sent":"1"}",
        "event 3: an event of phase b needs id or id2: a string or an integer, or an object with either local or global, a string",
        "event 4: id2 of an event of phase e must be an object with either local or global, a string; it is {"near":"x"}",
        "event 5: has both id and id2; one of them is enough",
        "event 6: an event of phase O needs args: an object with snapshot",
        "event 7: args of an event of phase c must be an object whose sync_id is a string; it is {}",
        "event 8: args of an event of phase M must be an object whose sort_index is an integer; it is {"sort_index":"first"}",
        "event 9: an event of phase M needs args: an object",
      ]
    `);
  });

  it('finds slices that do not nest', () => {
    const crossing = { ...inner, dur: 6 };
    expect(texts(mutant(inner, crossing))).toEqual([
      'event 3: begins inside of the slice of event 2, and ends after it',
    ]);
    // On another thread, or in another process, it crosses nothing.
    expect(texts([...good, { ...crossing, tid: 9 }, { ...crossing, pid: 9 }])).toEqual([]);
    // Touching is not crossing, and neither is half of what viewers can tell apart.
    expect(texts([...good, { ...slice, ts: 15, dur: 1 }, { ...slice, ts: 15.9996, dur: 3 }])).toEqual([]);
    expect(texts([...good, { ...slice, ts: 14.999, dur: 1 }])).toHaveLength(1);
    // Slices of B and E are slices.
    const begin = { ph: 'B', name: 'b', ...on, ts: 14 };
    expect(texts([...good, begin, { ph: 'E', ...on, ts: 15 }])).toEqual([]);
    expect(texts([...good, { ph: 'E', ...on, ts: 16 }, begin])).toEqual([
      'event 8: begins inside of the slice of event 2, and ends after it',
    ]);
    expect(texts([...good, begin])).toEqual(['event 7: begins a slice that never ends']);
    expect(texts([...good, { ph: 'E', ...on, ts: 13 }, begin])).toEqual([
      'event 7: ends a slice, and none is open on its thread',
      'event 8: begins a slice that never ends',
    ]);
  });

  it('finds flows without an end, with two, or backwards', () => {
    const flow = 'flow "signal" 1';
    expect(texts(mutant(finish))).toEqual([`event 5: ${flow} must finish once; it finishes never`]);
    expect(texts(mutant(start))).toEqual([`event 5: ${flow} must start once; it starts never`]);
    expect(texts([...good, { ...finish, ts: 31 }])).toEqual([`event 7: ${flow} must finish once; it finishes 2 times`]);
    expect(texts([...good, { ...start, ts: 13 }])).toEqual([`event 7: ${flow} must start once; it starts 2 times`]);
    expect(texts(mutant(finish, { ...finish, ts: 11.9 }))).toEqual([
      `event 6: ${flow} goes back in time, against event 5`,
    ]);
    // Another name, category or id makes another flow.
    for (const [field, value] of [
      ['id', 2],
      ['name', 'put'],
      ['cat', 'x'],
    ] as const) {
      expect(texts(mutant(finish, { ...finish, [field]: value }))).toHaveLength(2);
    }
  });

  it('finds flows that touch no slice', () => {
    const loose = (event: number): string => `event ${event}: flow "signal" 1 touches no slice of its thread here`;
    expect(texts(mutant(finish, { ...finish, ts: 41 }))).toEqual([loose(6)]);
    expect(texts(mutant(finish, { ...finish, tid: 4 }))).toEqual([loose(6)]);
    expect(texts(mutant(start, { ...start, ts: 9 }))).toEqual([loose(5)]);
    expect(texts(mutant(slice))).toEqual([]);
    expect(texts(mutant(slice).filter((event) => event !== inner))).toEqual([loose(3)]);
    // Without a binding point, the next slice counts.
    expect(texts(mutant(finish, without(finish, 'bp')))).toEqual([loose(6)]);
    expect(texts([...mutant(finish, without(finish, 'bp')), { ...other, ts: 50 }])).toEqual([]);
    // A step binds to the slice that encloses it, and is between start and finish.
    const step = { ...start, ph: 't', tid: 3, ts: 20 };
    expect(texts([...good, step])).toEqual([]);
    expect(texts([...good, { ...step, ts: 35 }])).toEqual([
      'event 7: flow "signal" 1 goes back in time, against event 6',
    ]);
    expect(texts([...good, { ...step, ts: 5 }])).toEqual([
      'event 7: flow "signal" 1 goes back in time, against event 5',
    ]);
  });

  it('finds duplicate names', () => {
    expect(texts([...good, { ...named, args: { name: 'CTA 1' } }])).toEqual([
      'event 7: gives thread_name again, after event 1',
    ]);
    expect(texts([...good, { ...titled, tid: 4 }])).toEqual(['event 7: gives process_name again, after event 0']);
    expect(texts([...good, { ...named, tid: 3 }, { ...named, pid: 3 }, { ...titled, pid: 3 }])).toEqual([]);
  });

  it('finds the removal of every field of a trace of this package', () => {
    const events = chromeTrace(putAndSignal()).traceEvents.map((event): Event => ({ ...event }));
    const needless = new Set(['cat', 'args', 'bp']);
    const missed = events.flatMap((event, index) =>
      Object.keys(event)
        .filter((field) => !(needless.has(field) && event['ph'] !== 'M'))
        .filter((field) => checkChromeTrace(events.with(index, without(event, field))).length === 0)
        .map((field) => ({ index, field })),
    );
    expect(missed).toEqual([]);
  });
});
