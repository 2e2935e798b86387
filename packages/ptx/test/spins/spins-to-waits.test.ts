import { binary, compare, constant, lane, logical, pointerOffset, vectorType } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { bool, branch, ends, jump, loads, number, sets, u32 } from '../support/flow-builder.ts';
import { count, is, isNot, stores, TwoSides, word, type FlowRun } from '../support/run-flow.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const [data, flag, other] = [word(0), word(1), word(2)];
const publishes = [stores(data, number(42)), stores(flag, number(7), 'release')];

const isClean = (run: FlowRun): void => {
  expect(run.report.findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([]);
  expect(run.report.verdict).toBe('clean');
};
const isWait = (run: FlowRun): void => {
  expect(run.text).toMatch(/\bwait\b/);
  expect(run.text).not.toMatch(/\bloop\b/);
};

describe('a spin of one block', () => {
  const spin = (order: 'relaxed' | 'acquire', writer = publishes): TwoSides => {
    const graph = new TwoSides(writer);
    const [v, w] = [graph.variable('v', u32), graph.variable('w', u32)];
    graph.add([loads(v, flag, order)], branch(isNot(v, number(7)), 2, 3));
    graph.add([loads(w, data), stores(word(0, u32, true), w), stores(word(1, u32, true), v)], ends);
    return graph;
  };

  it('becomes a wait, with the values that it read', async () => {
    const run = await spin('acquire').run();
    isWait(run);
    isClean(run);
    expect(run.out.slice(0, 2)).toEqual([42, 7]);
  });

  it('orders nothing if its load is relaxed', async () => {
    const run = await spin('relaxed').run();
    isWait(run);
    expect(run.report.findings.map(({ kind }) => kind)).toContain('race');
  });

  it('hangs if the flag is never written, and is named', async () => {
    const run = await spin('acquire', [stores(data, number(1))]).run();
    expect(run.report.findings.map(({ kind }) => kind)).toEqual(['deadlock']);
  });
});

describe('a spin of several blocks', () => {
  it('with a pause that doubles becomes a wait without the pause', async () => {
    const graph = new TwoSides(publishes);
    const [v, w, pause] = [graph.variable('v', u32), graph.variable('w', u32), graph.variable('pause', u32)];
    graph.add([sets(pause, number(8))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 4));
    graph.add([], branch(compare('lt', pause, number(256)), 5, 3));
    graph.add([sets(pause, binary('shl', pause, number(1)))], jump(3));
    graph.add([loads(w, data), stores(word(0, u32, true), w)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.out[0]).toBe(42);
    expect(run.text).not.toContain('<<');
  });

  it('in a loop over words, with a count of rounds without effect, becomes a wait', async () => {
    const graph = new TwoSides([stores(word(1), number(7), 'release'), stores(word(2), number(7), 'release')]);
    const [v, i, steps] = [graph.variable('v', u32), graph.variable('i', u32), graph.variable('steps', u32)];
    const next = (of: typeof i) => binary('add', of, number(1));
    graph.add([sets(i, number(1)), sets(steps, number(0))], jump(3));
    graph.add([stores(word(1, u32, true), i)], jump(4));
    graph.add([loads(v, pointerOffset(word(0), i), 'acquire')], branch(is(v, number(7)), 7, 5));
    graph.add([sets(steps, next(steps))], branch(compare('lt', steps, number(10_000)), 4, 6));
    graph.add([sets(steps, number(0))], jump(4));
    graph.add([sets(i, next(i))], branch(compare('lt', i, number(3)), 3, 8));
    graph.add([stores(word(0, u32, true), v)], ends);
    const run = await graph.run();
    expect(run.text).toMatch(/\bwait\b/);
    expect(run.text).not.toContain('10000');
    isClean(run);
    expect(run.out[0]).toBe(7);
  });

  it('with a pause under a guard becomes a wait without the pause', async () => {
    const graph = new TwoSides(publishes);
    const [v, pause] = [graph.variable('v', u32), graph.variable('pause', u32)];
    const longer = sets(pause, binary('shl', pause, number(1)));
    const guarded = { kind: 'if', condition: is(v, number(3)), then: [longer], else: [], span: longer.span } as const;
    graph.add([sets(pause, number(8))], jump(3));
    graph.add([loads(v, flag, 'acquire'), guarded], branch(is(v, number(7)), 4, 3));
    graph.add([stores(word(0, u32, true), v)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.text).not.toContain('<<');
  });

  it('with a peeled first round becomes one wait, with one load', async () => {
    const graph = new TwoSides(publishes);
    const [v, w, p1, p2, r] = [u32, u32, bool, bool, u32].map((type, i) => graph.variable(`r${i}`, type));
    if (!v || !w || !p1 || !p2 || !r) throw new Error('no variables');
    // Compiled by nvcc from while (ld(flag) != 7) nanosleep(20). It has other registers, and the
    // test is inverted.
    graph.add([loads(v, flag, 'acquire'), sets(p1, is(v, number(7)))], branch(p1, 4, 3));
    graph.add([loads(w, flag, 'acquire'), sets(p2, isNot(w, number(7)))], branch(p2, 3, 4));
    graph.add([loads(r, data), stores(word(0, u32, true), r)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(count(run, 'load')).toBe(2);
    expect(run.out[0]).toBe(42);
  });

  it('with other assignments among its peeled first round becomes one wait', async () => {
    const graph = new TwoSides(publishes);
    const [v, w, x, y] = [u32, u32, u32, u32].map((type, i) => graph.variable(`r${i}`, type));
    if (!v || !w || !x || !y) throw new Error('no variables');
    const looks = [loads(v, flag, 'acquire'), loads(w, flag, 'acquire')];
    graph.add([...looks.slice(0, 1), sets(x, number(5)), ...looks.slice(1), sets(y, binary('add', x, x))], jump(4));
    graph.add(looks, jump(4));
    graph.add([], branch(logical('and', is(v, number(7)), is(w, number(7))), 5, 3));
    graph.add([stores(word(0, u32, true), x), stores(word(1, u32, true), y)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(count(run, 'load')).toBe(2);
    expect(run.out.slice(0, 2)).toEqual([5, 10]);
  });

  it.for(slow)('stays apart from its first round if that sets a value from what it has read', async () => {
    const graph = new TwoSides(publishes);
    const [v, x] = [graph.variable('v', u32), graph.variable('x', u32)];
    graph.add([loads(v, flag, 'acquire'), sets(x, binary('mul', v, number(0)))], jump(4));
    graph.add([loads(v, flag, 'acquire')], jump(4));
    graph.add([], branch(is(v, number(7)), 5, 3));
    graph.add([stores(word(0, u32, true), x)], ends);
    const run = await graph.run();
    expect(count(run, 'load')).toBe(2);
    expect(run.out[0]).toBe(0);
  });

  it('keeps the value that the peeled first round has read', async () => {
    const graph = new TwoSides(publishes);
    const [v, w] = [graph.variable('v', u32), graph.variable('w', u32)];
    // After it, v is the value that the first round has read.
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 4, 3));
    graph.add([loads(w, flag, 'acquire')], branch(isNot(w, number(7)), 3, 4));
    graph.add([stores(word(0, u32, true), v)], ends);
    const run = await graph.run();
    isWait(run);
    expect(count(run, 'load')).toBe(2);
  });

  it('with its load at the end becomes a wait', async () => {
    const graph = new TwoSides(publishes);
    const [v, w] = [graph.variable('v', u32), graph.variable('w', u32)];
    graph.add([sets(v, number(3))], jump(3));
    graph.add([], branch(is(v, number(7)), 5, 4));
    graph.add([loads(v, flag, 'acquire')], jump(3));
    graph.add([loads(w, data), stores(word(0, u32, true), w), stores(word(1, u32, true), v)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.out.slice(0, 2)).toEqual([42, 7]);
  });

  it('with loads before it and at its end becomes one wait, with one load', async () => {
    const graph = new TwoSides(publishes);
    const [v, w] = [graph.variable('v', u32), graph.variable('w', u32)];
    graph.add([loads(v, flag, 'acquire')], jump(3));
    graph.add([], branch(is(v, number(7)), 5, 4));
    graph.add([loads(v, flag, 'acquire')], jump(3));
    graph.add([loads(w, data), stores(word(0, u32, true), w)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(count(run, 'load')).toBe(2);
  });

  it('that reads two words one after the other becomes a wait', async () => {
    const graph = new TwoSides([
      stores(data, number(42)),
      stores(other, number(5), 'release'),
      stores(flag, number(7), 'release'),
    ]);
    const [v, w, r] = [graph.variable('v', u32), graph.variable('w', u32), graph.variable('r', u32)];
    graph.add([loads(v, flag, 'acquire')], branch(isNot(v, number(7)), 2, 3));
    graph.add([loads(w, other, 'acquire')], branch(is(w, number(5)), 4, 2));
    graph.add([loads(r, data), stores(word(0, u32, true), r), stores(word(1, u32, true), binary('add', v, w))], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.out.slice(0, 2)).toEqual([42, 12]);
  });

  it.for(slow)('with paths that join inside of it becomes a wait', async () => {
    const graph = new TwoSides(publishes);
    const [v, w, want, r] = [u32, u32, u32, u32].map((type, i) => graph.variable(`r${i}`, type));
    if (!v || !w || !want || !r) throw new Error('no variables');
    graph.add([loads(v, flag, 'relaxed')], branch(isNot(v, number(9)), 3, 4));
    graph.add([sets(want, number(7))], jump(5));
    graph.add([sets(want, number(8))], jump(5));
    graph.add([loads(w, flag, 'acquire')], branch(is(w, want), 6, 2));
    graph.add([loads(r, data), stores(word(0, u32, true), r)], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.out[0]).toBe(42);
  });

  it.for(slow)('becomes flat code, for a round of any length', async () => {
    const graph = new TwoSides(publishes);
    const v = graph.variable('v', u32);
    for (let i = 0; i < 200; i++) graph.add([loads(v, flag, 'acquire')], branch(isNot(v, number(7)), 2, i + 3));
    graph.add([stores(word(0, u32, true), v)], ends);
    const run = await graph.run({ strategy: 'random' });
    isWait(run);
    expect(run.out[0]).toBe(7);
    expect(Math.max(...run.text.split('\n').map((line) => line.search(/\S/)))).toBeLessThan(80);
  });
});

describe('a line of 16 bytes', () => {
  const vec = vectorType('u32', 4);
  const line = word(0, vec);

  it('that is read as four words until two are set becomes a wait', async () => {
    const words = [8, 9, 10, 11].map((i) => word(i));
    const graph = new TwoSides(words.map((at, i) => stores(at, number(10 + i), 'relaxed')));
    const v = words.map((_, i) => graph.variable(`v${i}`, u32));
    const missing = v
      .map((one) => is(one, number(0)))
      .reduce<ReturnType<typeof is>>((a, b) => logical('or', a, b), constant('bool', false));
    graph.add(
      v.map((one, i) => loads(one, word(8 + i), 'relaxed')),
      branch(missing, 2, 3),
    );
    graph.add(
      v.map((one, i) => stores(word(i, u32, true), one)),
      ends,
    );
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.out.slice(0, 4)).toEqual([10, 11, 12, 13]);
  });

  it('of floats that waits for the last negative zero to change, with tests in two blocks, becomes a wait', async () => {
    const zero = 0x8000_0000;
    const graph = new TwoSides([12, 13, 14, 15].map((i) => stores(word(i), number(i), 'relaxed')));
    const v = [0, 1, 2, 3].map((i) => graph.variable(`v${i}`, u32));
    const [a, b, c, d] = v;
    if (!a || !b || !c || !d) throw new Error('no variables');
    const absent = (one: typeof a): ReturnType<typeof is> => logical('or', is(one, number(zero)), is(one, number(0)));
    graph.add(
      v.map((one, i) => loads(one, word(12 + i), 'relaxed')),
      branch(logical('or', absent(a), absent(b)), 2, 3),
    );
    graph.add([], branch(logical('or', absent(c), absent(d)), 2, 4));
    graph.add([stores(word(0, u32, true), binary('add', binary('add', a, b), binary('add', c, d)))], ends);
    const run = await graph.run();
    isWait(run);
    isClean(run);
    expect(run.out[0]).toBe(54);
  });

  it('that is loaded at once becomes a wait', async () => {
    const graph = new TwoSides([]);
    const v = graph.variable('v', vec);
    graph.add([loads(v, line, 'relaxed')], branch(is(lane(v, number(3)), number(0)), 3, 2));
    graph.add([stores(word(0, u32, true), binary('add', lane(v, number(0)), number(1)))], ends);
    const run = await graph.run();
    isWait(run);
    expect(run.out[0]).toBe(1);
  });
});
