import {
  binary,
  builtin,
  compare,
  constant,
  logical,
  type AtomicOp,
  type Body,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { bool, branch, clocks, ends, jump, loads, number, sets, spanAt, u32, u64 } from '../support/flow-builder.ts';
import { count, is, isNot, kindsOf, stores, TwoSides, word } from '../support/run-flow.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const [data, flag] = [word(0), word(1)];
const span = spanAt(0);
const publishes = [stores(data, number(42)), stores(flag, number(7), 'release')];
const results = (i: number, value: Expression): Body[number] => stores(word(i, u32, true), value);

function modifies(op: AtomicOp, to: Expression, value: number, expected?: number): Statement {
  if (to.kind !== 'local') throw new Error('only a local takes a value');
  const access = { order: 'acq_rel', scope: 'system' } as const;
  const given = expected === undefined ? {} : { expected: number(expected) };
  return { kind: 'atomic', op, local: to.local, pointer: flag, value: number(value), access, span, ...given };
}

describe.each<[string, AtomicOp, number, number | undefined]>([
  ['adds 0', 'add', 0, undefined],
  ['ors 0', 'or', 0, undefined],
  ['exchanges 0 for 0', 'cas', 0, 0],
])('a loop that polls with an atomic that %s', (_, op, value, expected) => {
  const poll = (writer: Body): TwoSides => {
    const graph = new TwoSides(writer);
    const [v, r] = [graph.variable('v', u32), graph.variable('r', u32)];
    graph.add([modifies(op, v, value, expected)], branch(isNot(v, number(7)), 2, 3));
    graph.add([loads(r, data), results(0, r), results(1, v)], ends);
    return graph;
  };

  it('ends, and orders the code after it', async () => {
    const run = await poll(publishes).run();
    expect(kindsOf(run)).toEqual([]);
    expect(run.out.slice(0, 2)).toEqual([42, 7]);
  });

  it('is reported if it hangs', async () => {
    const start = process.cpuUsage().user;
    const run = await poll([stores(data, number(1))]).run();
    expect(kindsOf(run)).toEqual(['deadlock']);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(3000);
  });
});

describe.each<[string, AtomicOp, number | undefined]>([
  ['compare-and-swap', 'cas', 0],
  ['exchange', 'exch', undefined],
])('a loop that takes a lock by %s', (_, op, expected) => {
  const locks = (gives: boolean): TwoSides => {
    const graph = new TwoSides([]);
    const [v, r] = [graph.variable('v', u32), graph.variable('r', u32)];
    graph.add([modifies(op, v, 1, expected)], branch(isNot(v, number(0)), 2, 3));
    const release = gives ? [stores(flag, number(0), 'release')] : [];
    graph.add(
      [loads(r, data), stores(data, binary('add', r, number(1))), results(0, binary('add', r, number(1))), ...release],
      ends,
    );
    return graph;
  };

  it.for(slow)('lets one thread in at a time', async () => {
    const run = await locks(true).run({ grid: 4 });
    expect(kindsOf(run).filter((kind) => kind !== 'uninitialised')).toEqual([]);
    expect(run.out[0]).toBe(3);
  });

  it('is reported as hanging if the lock is never released', async () => {
    const run = await locks(false).run({ grid: 3 });
    expect(kindsOf(run)).toContain('deadlock');
  });
});

describe('a loop around a vote', () => {
  const votes = (writer: Body, isLatched: boolean, order: 'acquire' | 'plain' = 'acquire'): TwoSides => {
    const graph = new TwoSides(writer);
    const [v, r] = [graph.variable('v', u32), graph.variable('r', u32)];
    const [seen, all] = [graph.variable('seen', bool), graph.variable('all', bool)];
    const group = { kind: 'lanes', mask: number(0xffff_ffff) } as const;
    const vote: Statement = { kind: 'collective', op: 'all', coop: group, local: all.local, value: seen, span };
    graph.add([sets(seen, constant('bool', false))], jump(3));
    if (isLatched) {
      graph.add([], branch(seen, 5, 4));
      graph.add([loads(v, flag, 'acquire'), sets(seen, is(v, number(7)))], jump(5));
      graph.add([vote], branch(all, 6, 3));
    } else {
      graph.add([loads(v, flag, order === 'plain' ? undefined : order), sets(seen, is(v, number(7)))], jump(4));
      graph.add([vote], branch(all, 6, 3));
      graph.add([], ends);
    }
    graph.add([loads(r, data)], branch(is(builtin('threadLinear'), number(0)), 7, 8));
    graph.add([results(0, r)], jump(8));
    graph.add([], ends);
    return graph;
  };

  it.each([false, true])(
    'ends when all lanes have seen the flag (each lane waits until then: %s)',
    async (isLatched) => {
      // The writers of a block store the same value.
      const run = await votes([stores(data, number(42), 'relaxed'), stores(flag, number(7), 'release')], isLatched).run(
        {
          block: 32,
        },
      );
      expect(kindsOf(run).filter((kind) => kind !== 'race')).toEqual([]);
      expect(run.out[0]).toBe(42);
    },
  );

  it.for(slow)('becomes a wait, the meeting of the lanes and another wait, so that no lane spins', async () => {
    const publish = [stores(data, number(42), 'relaxed'), stores(flag, number(7), 'release')];
    const run = await votes(publish, false).run({ block: 32 });
    expect(run.text).toMatch(/wait \{[^]*until[^]*collective all[^]*wait \{[^]*until/);
    expect(run.text).not.toContain('loop {');
    expect(run.report.accesses).toBeLessThan(1500);
    // A value that a round takes from the previous round cannot be evaluated twice.
    const latched = await votes(publish, true).run({ block: 32 });
    expect(latched.text).toContain('loop {');
    expect(latched.text).not.toContain('wait {');
  });

  const limits: readonly [does: string, then: Body, isLoop: boolean][] = [
    ['traps', [{ kind: 'assert', condition: constant('bool', false), message: 'timed out', span }], false],
    ['goes on', [stores(word(1, u32, true), number(1))], true],
  ];
  // The executions of 64 threads take half a minute.
  it.each(limits.filter(() => inject('slow')))(
    'with a time limit, after which the kernel %s',
    async (_, then, isLoop) => {
      const graph = new TwoSides([stores(data, number(42), 'relaxed'), stores(flag, number(7), 'release')]);
      const [v, seen, all] = [graph.variable('v', u32), graph.variable('seen', bool), graph.variable('all', bool)];
      const [start, now] = [graph.variable('start', u64), graph.variable('now', u64)];
      const coop = { kind: 'lanes', mask: number(0xffff_ffff) } as const;
      const late = compare('gt', binary('sub', now, start), constant('u64', 2_000_000_000n));
      graph.add([clocks(start)], jump(3));
      graph.add([loads(v, flag, 'acquire'), sets(seen, is(v, number(7)))], jump(4));
      graph.add([{ kind: 'collective', op: 'all', coop, local: all.local, value: seen, span }], branch(all, 7, 5));
      graph.add([clocks(now)], branch(late, 6, 3));
      graph.add(then, ends);
      graph.add([stores(word(0, u32, true), v)], ends);
      const run = await graph.run({ block: 32 });
      expect(run.text.includes('loop {')).toBe(isLoop);
      expect(run.text.includes('clock')).toBe(isLoop);
      expect(kindsOf(run).filter((kind) => kind !== 'race')).toEqual([]);
      expect(run.out[0]).toBe(7);
    },
  );

  it('ends if it polls by plain loads, with a warning and a race', async () => {
    const publish = [stores(data, number(42), 'relaxed'), stores(flag, number(7), 'release')];
    const run = await votes(publish, false, 'plain').run({ block: 32, strategy: 'random', schedules: 1 });
    expect(run.weakSpins).toHaveLength(1);
    expect(kindsOf(run)).toContain('race');
  });

  it.for(slow)('continues if a flag is reset for a while', async () => {
    const again = [7, 0, 7].map((value) => stores(flag, number(value), 'release'));
    const run = await votes([stores(data, number(42), 'relaxed'), ...again], false).run({
      block: 32,
      strategy: 'random',
      schedules: 5,
    });
    expect(kindsOf(run).filter((kind) => kind !== 'race')).toEqual([]);
    expect(run.out[0]).toBe(42);
  });

  it.each([false, true].filter((row) => !row !== inject('slow')))(
    'is reported if it hangs (each lane waits until then: %s)',
    async (isLatched) => {
      const start = process.cpuUsage().user;
      const run = await votes([], isLatched).run({ block: 32 });
      expect(kindsOf(run)).toContain('deadlock');
      expect((process.cpuUsage().user - start) / 1000).toBeLessThan(5000);
    },
  );
});

describe('a loop that polls with plain loads', () => {
  it('becomes a wait, which makes its race visible, and is reported with its load', async () => {
    const graph = new TwoSides([stores(flag, number(7))]);
    const v = graph.variable('v', u32);
    graph.add([{ kind: 'load', local: v.local, pointer: flag, span: spanAt(17) }], branch(isNot(v, number(7)), 2, 3));
    graph.add([results(0, v)], ends);
    const run = await graph.run({ strategy: 'random' });
    expect(count(run, 'loop')).toBe(0);
    expect(count(run, 'wait')).toBeGreaterThan(0);
    expect(run.weakSpins).toEqual([{ span: spanAt(17) }]);
    expect(kindsOf(run)).toContain('race');
  });

  it.each(['relaxed', 'acquire'] as const)('is reported if it also polls with a %s load', async (order) => {
    const graph = new TwoSides([stores(word(2), number(7)), stores(flag, number(7), 'release')]);
    const [v, w] = [graph.variable('v', u32), graph.variable('w', u32)];
    graph.add(
      [loads(v, flag, order), { kind: 'load', local: w.local, pointer: word(2), span: spanAt(17) }],
      branch(logical('or', isNot(v, number(7)), isNot(w, number(7))), 2, 3),
    );
    graph.add([results(0, w)], ends);
    const run = await graph.run({ strategy: 'random', schedules: 2 });
    expect(count(run, 'wait')).toBe(1);
    // After an acquire, each round repeats a plain load.
    expect(run.weakSpins).toEqual(order === 'acquire' ? [] : [{ span: spanAt(17) }]);
  });

  it('is not reported if it is only the awaited value of the ordered load', async () => {
    const graph = new TwoSides([stores(flag, number(7), 'release')]);
    const [v, w] = [graph.variable('v', u32), graph.variable('w', u32)];
    graph.add([loads(v, flag, 'relaxed'), loads(w, word(20))], branch(compare('lt', v, w), 2, 3));
    graph.add([results(0, v)], ends);
    expect((await graph.run({ strategy: 'random', schedules: 2 })).weakSpins).toEqual([]);
  });

  it('does not count if it walks along an array', async () => {
    const graph = new TwoSides([]);
    const [v, i] = [graph.variable('v', u32), graph.variable('i', u32)];
    graph.add([sets(i, number(0))], jump(3));
    graph.add([loads(v, word(5))], branch(isNot(v, number(0)), 5, 4));
    graph.add([sets(i, binary('add', i, number(1)))], branch(compare('lt', i, number(4)), 3, 5));
    graph.add([results(0, i)], ends);
    const run = await graph.run();
    expect(run.weakSpins).toEqual([]);
    expect(run.out[0]).toBe(4);
  });

  it('becomes a wait if only the address comes from a plain load', async () => {
    const graph = new TwoSides(publishes);
    const [at, v, r] = [graph.variable('at', u32), graph.variable('v', u32), graph.variable('r', u32)];
    graph.add(
      [loads(at, word(20)), loads(v, { ...flag }, 'acquire')],
      branch(isNot(binary('add', v, at), number(7)), 2, 3),
    );
    graph.add([loads(r, data), results(0, r)], ends);
    const run = await graph.run();
    expect(count(run, 'wait')).toBe(1);
    expect(run.weakSpins).toEqual([]);
    expect(run.out[0]).toBe(42);
  });
});
