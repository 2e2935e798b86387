import { binary, builtin, compare, constant, scalarType, type Body, type Expression } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { branch, clocks, ends, jump, loads, number, says, sets, u32, u64 } from '../support/flow-builder.ts';
import { count, is, isNot, kindsOf, stores, TwoSides, word } from '../support/run-flow.ts';

type Local = ReturnType<TwoSides['variable']>;
const [data, flag, abort] = [word(0), word(1), word(3)];
const publishes = [stores(data, number(42)), stores(flag, number(7), 'release')];
const aborts = [stores(abort, number(1), 'relaxed')];
const results = (i: number, value: Expression): Body[number] => stores(word(i, u32, true), value);

/**
 * `while (ld(flag) != 7) if (++n > most) { n = 0; if (ld(abort)) goto aborted; }`, in the form that
 * nvcc generates.
 */
function withAbortFlag(writer: Body, form: 'as written' | 'as compiled'): TwoSides {
  const graph = new TwoSides(writer);
  const [v, n, a, r] = [
    graph.variable('v', u32),
    graph.variable('n', u32),
    graph.variable('a', u32),
    graph.variable('r', u32),
  ];
  const w = graph.variable('w', u32);
  const add1 = sets(n, binary('add', n, number(1)));
  if (form === 'as written') {
    graph.add([sets(n, number(0))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 4));
    graph.add([add1], branch(compare('gt', n, number(10_000)), 5, 3));
    graph.add([sets(n, number(0)), loads(a, abort, 'relaxed')], branch(isNot(a, number(0)), 7, 3));
  } else {
    graph.add([loads(w, flag, 'acquire')], branch(is(w, number(7)), 6, 8));
    graph.add([add1], branch(compare('lt', n, number(10_001)), 5, 4));
    graph.add([loads(a, abort, 'relaxed'), sets(n, number(0))], branch(isNot(a, number(0)), 7, 5));
    graph.add([loads(v, flag, 'acquire')], branch(isNot(v, number(7)), 3, 6));
  }
  graph.add([loads(r, data), results(0, r), results(1, number(1))], ends);
  graph.add([results(1, number(2))], ends);
  graph.add([sets(n, number(0))], jump(3));
  return graph;
}

describe.each(['as written', 'as compiled'] as const)('a flag loop that sometimes reads an abort word, %s', (form) => {
  it('becomes one wait that ends by the flag', async () => {
    const run = await withAbortFlag(publishes, form).run();
    expect(count(run, 'wait')).toBe(1);
    expect(count(run, 'loop')).toBe(0);
    expect(kindsOf(run)).toEqual([]);
    expect(run.out.slice(0, 2)).toEqual([42, 1]);
    // One load each of the flag, the abort word and the data.
    expect(count(run, 'load')).toBe(3);
  });

  it('ends by the abort word', async () => {
    const run = await withAbortFlag(aborts, form).run();
    expect(kindsOf(run)).toEqual([]);
    expect(run.out[1]).toBe(2);
  });

  it('hangs if neither is set', async () => {
    const run = await withAbortFlag([stores(data, number(1))], form).run();
    expect(kindsOf(run)).toEqual(['deadlock']);
  });
});

describe('a loop that counts its rounds', () => {
  const counted = (after: (n: Expression) => Body, writer: Body = publishes, most = 8): TwoSides => {
    const graph = new TwoSides(writer);
    const [v, n] = [graph.variable('v', u32), graph.variable('n', u32)];
    graph.add([sets(n, number(0))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 5, 4));
    graph.add([sets(n, binary('add', n, number(1)))], branch(compare('lt', n, number(most)), 3, most === 8 ? 5 : 6));
    graph.add(after(n), ends);
    graph.add([results(1, number(9))], ends);
    return graph;
  };

  it.each<[string, Body, number[]]>([
    ['passes where the flag comes', publishes, [1, 0]],
    ['gives up where it never comes', [], [0, 9]],
  ])('that gives up after many rounds becomes a timed wait, which %s', async (_, writer, out) => {
    for (const rounds of [50, 100_000_000]) {
      const run = await counted(() => [results(0, number(1))], writer, rounds).run();
      expect(count(run, 'loop')).toBe(0);
      expect(kindsOf(run)).toEqual([]);
      expect(run.out.slice(0, 2)).toEqual(out);
    }
  });

  it('that counts in a float stays a loop', async () => {
    const graph = new TwoSides(publishes);
    const f32 = scalarType('f32');
    const [v, n] = [graph.variable('v', u32), graph.variable('n', f32)];
    graph.add([sets(n, constant('f32', 0))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 5, 4));
    graph.add([sets(n, binary('add', n, constant('f32', 0.5)))], branch(compare('lt', n, constant('f32', 1e5)), 3, 5));
    graph.add([results(0, number(1))], ends);
    const run = await graph.run({ strategy: 'random' });
    expect(count(run, 'loop')).toBe(1);
    expect(run.out[0]).toBe(1);
  });

  it('that gives up after very many rounds and returns the count stays a loop', async () => {
    const run = await counted((n) => [results(0, n)], publishes, 100_000_000).run({ strategy: 'random' });
    expect(count(run, 'loop')).toBe(1);
  });

  it('that gives up after few rounds stays a loop, and ends', async () => {
    const run = await counted(() => [results(0, number(1))], []).run();
    expect(count(run, 'loop')).toBe(1);
    expect(kindsOf(run).filter((kind) => kind !== 'uninitialised')).toEqual([]);
    expect(run.out[0]).toBe(1);
  });

  it('that returns the count stays a loop', async () => {
    const run = await counted((n) => [results(0, n)], []).run();
    expect(count(run, 'loop')).toBe(1);
    expect(run.out[0]).toBe(8);
  });

  it('that reads the abort word but keeps its count stays a loop', async () => {
    const graph = new TwoSides(publishes);
    const [v, n, a] = [graph.variable('v', u32), graph.variable('n', u32), graph.variable('a', u32)];
    graph.add([sets(n, number(0))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 4));
    graph.add([sets(n, binary('add', n, number(1)))], branch(compare('gt', n, number(3)), 5, 3));
    graph.add([loads(a, abort, 'relaxed')], branch(isNot(a, number(0)), 6, 3));
    graph.add([results(0, binary('min', n, number(0))), results(1, number(1))], ends);
    const run = await graph.run({ strategy: 'random' });
    expect(count(run, 'loop')).toBe(1);
    expect(run.out[1]).toBe(1);
  });
});

describe('a loop that reads an abort word only in some rounds', () => {
  const looking = (
    starts: number,
    step: (n: Expression) => Expression,
    looks: (n: Expression) => Expression,
    behind: (n: Local) => Body = () => [],
  ): TwoSides => {
    const graph = new TwoSides(publishes);
    const [v, n, a] = [graph.variable('v', u32), graph.variable('n', u32), graph.variable('a', u32)];
    graph.add([sets(n, number(starts))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 4));
    graph.add([sets(n, step(n))], branch(looks(n), 5, 3));
    graph.add([loads(a, abort, 'relaxed'), ...behind(n)], branch(isNot(a, number(0)), 7, 3));
    graph.add([results(0, number(1))], ends);
    graph.add([results(0, number(2))], ends);
    return graph;
  };
  const up = (n: Expression): Expression => binary('add', n, number(1));
  const down = (n: Expression): Expression => binary('sub', n, number(1));
  const again = (n: Local): Body => [sets(n, number(9))];

  it.each(
    (
      [
        ['all but the first ones', looking(0, up, (n) => compare('ge', n, number(9)))],
        ['each 1024th', looking(0, up, (n) => is(binary('and', n, number(1023)), number(0)))],
        ['each ninth, counted down', looking(9, down, (n) => is(n, number(0)), again)],
      ] satisfies [string, TwoSides][]
    ).filter((_, i) => (i === 0) !== inject('slow')),
  )('becomes a wait: %s', async (_, graph) => {
    const run = await graph.run();
    expect(count(run, 'loop')).toBe(0);
    expect(kindsOf(run)).toEqual([]);
    expect(run.out[0]).toBe(1);
  });

  it.each([
    ['the first ones', looking(0, up, (n) => compare('lt', n, number(9)))],
    ['one', looking(0, up, (n) => is(n, number(9)))],
    [
      'the first one',
      looking(
        1,
        (n) => n,
        (n) => isNot(n, number(0)),
        (n) => [sets(n, number(0))],
      ),
    ],
  ])('stays a loop if it stops reading: %s', async (_, graph) => {
    const run = await graph.run({ strategy: 'random' });
    expect(count(run, 'loop')).toBe(1);
    expect(run.out[0]).toBe(1);
  });

  it('stays a loop if a loaded value shows that it has read the word', async () => {
    const graph = new TwoSides(publishes);
    const [v, seen, a] = [graph.variable('v', u32), graph.variable('seen', u32), graph.variable('a', u32)];
    graph.add([sets(seen, number(0))], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 7, 4));
    graph.add([], branch(is(seen, number(0)), 5, 3));
    graph.add([loads(a, abort, 'relaxed')], branch(isNot(a, number(0)), 8, 6));
    graph.add([sets(seen, number(1))], jump(3));
    graph.add([results(0, number(1))], ends);
    graph.add([results(0, number(2))], ends);
    const run = await graph.run({ strategy: 'random' });
    expect(count(run, 'loop')).toBe(1);
    expect(run.out[0]).toBe(1);
  });
});

describe('a time limit by the clock', () => {
  const timed = (writer: Body, gaveUp: Body): TwoSides => {
    const graph = new TwoSides(writer);
    const [v, r] = [graph.variable('v', u32), graph.variable('r', u32)];
    const [start, now] = [graph.variable('start', u64), graph.variable('now', u64)];
    graph.add([clocks(start)], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 5, 4));
    const late = compare('gt', binary('sub', now, start), constant('u64', 2_000_000_000n));
    graph.add([clocks(now)], branch(late, 6, 3));
    graph.add([loads(r, data), results(0, r)], ends);
    graph.add(gaveUp, ends);
    return graph;
  };

  it('becomes a timed wait, which passes if the flag is set', async () => {
    const run = await timed(publishes, [results(1, number(9))]).run();
    expect(count(run, 'wait')).toBe(1);
    expect(count(run, 'loop')).toBe(0);
    expect(kindsOf(run)).toEqual([]);
    expect(run.out.slice(0, 2)).toEqual([42, 0]);
  });

  it('ends if the flag is never set', async () => {
    const run = await timed([], [results(1, number(9))]).run();
    expect(kindsOf(run).filter((kind) => kind !== 'uninitialised')).toEqual([]);
    expect(run.out.slice(0, 2)).toEqual([0, 9]);
  });

  it('may end in a trap, which ends the thread anywhere', async () => {
    const span = { source: 0, start: 0, end: 1 };
    const graph = new TwoSides([]);
    const [v, start, now] = [graph.variable('v', u32), graph.variable('start', u64), graph.variable('now', u64)];
    graph.add([clocks(start)], jump(3));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 4));
    const late = compare('gt', binary('sub', now, start), constant('u64', 2_000_000_000n));
    graph.add([clocks(now)], branch(late, 5, 3));
    // nvcc lets control continue after the trap, back into the loop.
    graph.add(
      [{ kind: 'assert', condition: constant('bool', false), message: 'timed out', span }, says('never')],
      jump(3),
    );
    graph.add([results(0, number(1))], ends);
    const run = await graph.run();
    expect(count(run, 'wait')).toBe(1);
    expect(count(run, 'loop')).toBe(0);
    expect(run.report.findings.map(({ message }) => message).join()).toContain('timed out');
  });

  it('without a flag becomes a wait for the clock', async () => {
    const graph = new TwoSides([]);
    const [start, now] = [graph.variable('start', u64), graph.variable('now', u64)];
    graph.add([clocks(start)], jump(3));
    const late = compare('gt', binary('sub', now, start), constant('u64', 2_000_000_000n));
    graph.add([clocks(now)], branch(late, 4, 3));
    graph.add([results(0, number(1))], ends);
    const run = await graph.run();
    expect(count(run, 'loop')).toBe(0);
    expect(run.out[0]).toBe(1);
  });
});

describe('exits from a spin to different blocks', () => {
  it('keep the locals that each exit has set', async () => {
    const graph = new TwoSides(aborts);
    const [v, a, x] = [graph.variable('v', u32), graph.variable('a', u32), graph.variable('x', u32)];
    graph.add([loads(v, flag, 'acquire'), sets(x, number(1))], branch(is(v, number(7)), 4, 3));
    graph.add([loads(a, abort, 'acquire'), sets(x, number(5))], branch(isNot(a, number(0)), 5, 2));
    graph.add([results(0, x)], ends);
    graph.add([results(1, x), results(2, builtin('blockIdx.x'))], ends);
    const run = await graph.run();
    expect(count(run, 'loop')).toBe(0);
    expect(run.out.slice(0, 3)).toEqual([0, 5, 1]);
  });
});
