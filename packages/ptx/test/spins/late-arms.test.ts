import { binary, compare, constant, logical, unary, type Body, type Expression } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { bool, branch, clocks, ends, jump, loads, number, sets, u32, u64 } from '../support/flow-builder.ts';
import { count, is, isNot, kindsOf, stores, TwoSides, word } from '../support/run-flow.ts';

const [data, flag] = [word(0), word(1)];
const publishes = [stores(data, number(42)), stores(flag, number(7), 'release')];
const results = (i: number, value: Expression): Body[number] => stores(word(i, u32, true), value);
const limit = constant('u64', 1_000_000n);

/**
 * `late = clock() - start >= limit; found = ld(flag) == 7; goes = !found; if (late && !found) {
 * print(); goes = more; } if (!goes) break; if (late) goto aborted;`, as nvcc joins the paths.
 */
function printing(writer: Body, more: boolean): TwoSides {
  const graph = new TwoSides(writer);
  const [start, now] = [graph.variable('start', u64), graph.variable('now', u64)];
  const [v, r] = [graph.variable('v', u32), graph.variable('r', u32)];
  const [early, goes] = [graph.variable('early', bool), graph.variable('goes', bool)];
  const early64 = compare('lt', binary('sub', now, start), limit);
  graph.add([clocks(start)], jump(3));
  graph.add(
    [clocks(now), loads(v, flag, 'acquire'), sets(early, early64), sets(goes, isNot(v, number(7)))],
    branch(logical('or', is(v, number(7)), early64), 5, 4),
  );
  graph.add([results(2, number(3)), sets(goes, constant('bool', more))], jump(5));
  graph.add([], branch(unary('not', goes), 7, 6));
  graph.add([], branch(early, 3, 8));
  graph.add([loads(r, data), results(0, r), results(1, number(1))], ends);
  graph.add([results(1, number(2))], ends);
  return graph;
}

describe('a loop that prints when it is late', () => {
  it('is a wait, because the printing only leads out', async () => {
    const run = await printing(publishes, true).run();
    expect(kindsOf(run)).toEqual([]);
    expect(count(run, 'wait')).toBe(1);
    expect(count(run, 'loop')).toBe(0);
    expect(run.out.slice(0, 3)).toEqual([42, 1, 0]);
  });

  it('prints and gives up if the flag never comes', async () => {
    const run = await printing([], true).run();
    expect(kindsOf(run)).toEqual([]);
    expect(run.out.slice(1, 3)).toEqual([2, 3]);
  });

  it('may leave by the other exit after it has printed', async () => {
    const run = await printing([stores(data, number(5))], false).run();
    expect(kindsOf(run)).not.toContain('deadlock');
    expect(count(run, 'wait')).toBe(1);
    expect(run.out.slice(1, 3)).toEqual([1, 3]);
  });
});

describe('a peeled first round', () => {
  /** `if (ld(flag) != 7) { p = …; do pause; while (ld(flag) != 7); use(p); }`, as nvcc peels it. */
  const peeled = (between: 'constant' | 'from the round', writer: Body = publishes): TwoSides => {
    const graph = new TwoSides(writer);
    const [v, w, p, r] = [
      graph.variable('v', u32),
      graph.variable('w', u32),
      graph.variable('p', u32),
      graph.variable('r', u32),
    ];
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 3));
    graph.add([sets(p, between === 'constant' ? number(9) : binary('add', v, number(9)))], jump(4));
    graph.add([loads(v, flag, 'acquire')], branch(is(v, number(7)), 5, 4));
    graph.add([sets(w, p), results(2, w)], jump(6));
    graph.add([loads(r, data), results(0, r), results(1, number(1))], ends);
    return graph;
  };

  it('stays, with the computation behind it, if that is not free to move', async () => {
    const run = await peeled('from the round').run();
    expect(kindsOf(run)).toEqual([]);
    expect(run.out.slice(0, 2)).toEqual([42, 1]);
  });

  it('does not run twice in a wait that a computation precedes', async () => {
    const graph = new TwoSides(publishes);
    const [now, start] = [graph.variable('now', u64), graph.variable('start', u64)];
    const [v, p, r] = [graph.variable('v', u32), graph.variable('p', u32), graph.variable('r', u32)];
    const isLate = compare('ge', binary('sub', now, start), limit);
    graph.add([clocks(start), clocks(now), loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 3));
    graph.add([sets(p, number(9))], jump(4));
    graph.add([], branch(isLate, 7, 5));
    graph.add([clocks(now), loads(v, flag, 'acquire')], branch(is(v, number(7)), 6, 4));
    graph.add([loads(r, data), results(0, r), results(1, number(1))], ends);
    graph.add([results(1, p)], ends);
    const run = await graph.run();
    expect(kindsOf(run)).toEqual([]);
    expect(count(run, 'wait')).toBe(1);
    expect(count(run, 'loop')).toBe(0);
    expect(count(run, 'load')).toBe(2);
    expect(run.out.slice(0, 2)).toEqual([42, 1]);
  });
});
