import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { describe, expect, test } from 'vitest';

import { litmusTests } from '../oracle/litmus.ts';
import { ncclRows } from '../oracle/nccl-rows.ts';
import { add, agent, barrier, cas, exch, fence, load, store, strong } from '../oracle/operations.ts';
import { verdictOf } from '../oracle/oracle.ts';
import { showProgram } from '../oracle/show-program.ts';
import { linesOf, smallProgram } from '../oracle/small-program.ts';
import type { Agent, Operation, SmallProgram } from '../oracle/small-program.ts';
import { runSchedule, type Choose } from './schedule.ts';

/** The locations whose accesses race if the first agent that can continue always runs. */
function racesAt(program: SmallProgram, order: readonly number[] = []): readonly string[] {
  const { length } = program.agents;
  let next = 0;
  const choose: Choose = (able) => {
    const [first = 0] = able;
    const asked = order[next++] ?? first;
    if (asked >= length || !able.includes(asked)) throw new RangeError(`agent ${asked} cannot go on`);
    return asked;
  };
  const { reported } = runSchedule(program, choose, { bytes: 4, idle: false });
  const { races } = verdictOf(program);
  expect({ text: showProgram(program), no: [...reported].filter((race) => !races.includes(race)) }).toMatchObject({
    no: [],
  });
  const locations = [...reported].map((race) => {
    const [number = 0, position = 0] = (race.split(' ')[0] ?? '').split('.').map(Number);
    const operation = linesOf(program.agents[number]?.operations ?? [])[position]?.operation;
    return operation !== undefined && 'location' in operation ? operation.location : '?';
  });
  return [...new Set(locations)].sort();
}

function races(...agents: readonly Agent[]): readonly string[] {
  return racesAt(smallProgram('agents one after another', agents));
}

/** The agents that make the next steps, in order. */
function racesIn(order: readonly number[], ...agents: readonly Agent[]): readonly string[] {
  return racesAt(smallProgram('agents in an order', agents), order);
}

/** The program with plain accesses of its data. */
function withPlain(data: string, { name, agents }: SmallProgram): SmallProgram {
  const plain = (operation: Operation): Operation =>
    (operation.kind === 'load' || operation.kind === 'store') && operation.location === data
      ? { ...operation, ordering: 'weak' }
      : operation;
  return smallProgram(
    name,
    agents.map(({ place, operations }) => ({ place, operations: operations.map(plain) })),
  );
}

describe('in the litmus table, data race exactly where they may be stale', () => {
  const rows = ['MP', 'S', 'ISA2'];
  const cells = litmusTests().filter(({ row }) => rows.includes(row));

  test('the litmus table has twelve columns', () => {
    expect(cells).toHaveLength(36);
  });

  test.each(cells)('$row, column $column: $expected', ({ program, expected }) => {
    expect(racesAt(withPlain('x', program)).includes('x')).toBe(expected === 'A');
  });
});

describe('in the rows of NCCL, data race exactly where they may be stale', () => {
  const cells = ncclRows().filter(({ row }) => /^N[1-6]/.test(row));

  test.each(cells)('$row: $expected', ({ program, expected }) => {
    expect(racesAt(program).includes('x')).toBe(expected === 'A');
  });
});

const sys = strong('relaxed');

describe('a message', () => {
  const scopes: readonly MemoryScope[] = ['thread', 'block', 'device', 'system'];
  const distances = { '0.0.1': 1, '0.1': 2, '1': 3 } as const;

  for (const [place, needed] of Object.entries(distances)) {
    test.each(scopes.flatMap((write) => scopes.map((read) => ({ write, read }))))(
      `with scope ${place}, released at $write and acquired at $read`,
      ({ write, read }) => {
        const told = races(
          agent('0', store('x', 1), store('f', 1, strong('release', write))),
          agent(place, load('a', 'f', strong('acquire', read)), load('b', 'x')),
        );
        const reaches = scopes.indexOf(write) >= needed && scopes.indexOf(read) >= needed;
        expect(told).toEqual(reaches ? [] : ['f', 'x']);
      },
    );
  }

  test.each(['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'] satisfies readonly MemoryOrder[])(
    'through read-modify-writes, released or acquired by %s',
    (order) => {
      const releases = ['release', 'acq_rel', 'seq_cst'].includes(order);
      const acquires = ['acquire', 'acq_rel', 'seq_cst'].includes(order);
      const reader = agent('1', add('a', 'f', 0, strong('acquire')), load('b', 'x'));
      expect(races(agent('0', store('x', 1), exch('r', 'f', 1, strong(order))), reader)).toEqual(releases ? [] : ['x']);
      const writer = agent('0', store('x', 1), store('f', 1, strong('release')));
      expect(races(writer, agent('1', exch('a', 'f', 1, strong(order)), load('b', 'x')))).toEqual(
        acquires ? [] : ['x'],
      );
      // It acquires even though it does not write.
      expect(races(writer, agent('1', cas('a', 'f', 7, 8, strong(order)), load('b', 'x')))).toEqual(
        acquires ? [] : ['x'],
      );
    },
  );

  test('does not order data that is read before the flag', () => {
    const reader = agent('1', load('b', 'x'), load('a', 'f', strong('acquire')));
    expect(races(agent('0', store('x', 1), store('f', 1, strong('release'))), reader)).toEqual(['x']);
  });

  test('does not order data that is written after the flag', () => {
    const writer = agent('0', store('f', 1, strong('release')), store('x', 1));
    expect(races(writer, agent('1', load('a', 'f', strong('acquire')), load('b', 'x')))).toEqual(['x']);
  });

  test('is passed on as far as the scope of each step reaches', () => {
    const passed = (first: MemoryScope, second: MemoryScope): readonly string[] =>
      races(
        agent('0', store('x', 1), store('f', 1, strong('release', first))),
        agent('0.1', load('a', 'f', strong('acquire', first)), store('g', 1, strong('release', second))),
        agent('1', load('a', 'g', strong('acquire', second)), load('b', 'x')),
      );
    expect(passed('device', 'system')).toEqual([]);
    expect(passed('system', 'system')).toEqual([]);
    expect(passed('block', 'system')).toEqual(['f', 'x']);
    expect(passed('device', 'device')).toEqual(['g', 'x']);
  });

  test('acquired by one thread of a CTA reaches the others through a barrier alone', () => {
    const writer = agent('0', store('x', 1), store('f', 1, strong('release')));
    const flag = load('a', 'f', strong('acquire'));
    expect(races(writer, agent('1', flag, barrier()), agent('1.0.1', barrier(), load('b', 'x')))).toEqual([]);
    expect(races(writer, agent('1', flag), agent('1.0.1', load('b', 'x')))).toEqual(['x']);
    expect(races(writer, agent('1', barrier(), flag), agent('1.0.1', barrier(), load('b', 'x')))).toEqual(['x']);
  });
});

describe('a read that acquires', () => {
  test('is itself ordered after plain writes to the flag', () => {
    const writer = agent('0', store('f', 0), store('f', 1, strong('release')));
    expect(races(writer, agent('1', load('a', 'f', strong('acquire'))))).toEqual([]);
    expect(races(writer, agent('1', add('a', 'f', 1, strong('acquire'))))).toEqual([]);
    expect(races(writer, agent('1', load('a', 'f', sys)))).toEqual(['f']);
    expect(races(writer, agent('1', add('a', 'f', 1, sys)))).toEqual(['f']);
  });

  test('is ordered only after the write that it read, if it is relaxed', () => {
    const writer = agent('0', store('x', 1), store('f', 1, sys));
    expect(races(writer, agent('1', load('a', 'f', sys), store('f', 2)))).toEqual([]);
    expect(races(writer, agent('1', load('a', 'f', sys), load('b', 'x')))).toEqual(['x']);
    expect(races(writer, agent('1', store('f', 2)))).toEqual(['f']);
    // A thread that has seen the write passes it on.
    const between = agent('1', load('a', 'f', sys), store('g', 1, strong('release')));
    const last = [load('a', 'g', strong('acquire')), store('f', 2)] as const;
    expect(races(writer, between, agent('2', ...last))).toEqual([]);
    expect(races(writer, between, agent('2', ...last, load('b', 'x')))).toEqual(['x']);
    expect(races(writer, agent('1', load('a', 'f', sys), barrier()), agent('1.0.1', barrier(), store('f', 2)))).toEqual(
      [],
    );
    expect(races(writer, agent('1', load('a', 'f', sys)), agent('1.0.1', store('f', 2)))).toEqual(['f']);
  });

  test('acquires all writes that relaxed reads of the flag have read, whatever was written later', () => {
    const first = agent('0', store('x', 1), store('f', 1, strong('release')));
    const see = load('a', 'f', sys);
    const again = load('b', 'f', strong('acquire'));
    expect(races(first, agent('1', see, again, load('c', 'x')))).toEqual([]);
    expect(races(first, agent('1', see, load('b', 'g', strong('acquire')), load('c', 'x')))).toEqual(['x']);

    const other = agent('2', store('f', 2, sys));
    const steps = [0, 0, 1, 2, 1, 1];
    expect(racesIn(steps, first, agent('1', see, again, load('c', 'x')), other)).toEqual([]);
    expect(racesIn(steps, first, agent('1', see, load('b', 'f', sys), load('c', 'x')), other)).toEqual(['x']);
    const fenced = agent('1', see, load('b', 'f', sys), fence('acquire'), load('c', 'x'));
    expect(racesIn([...steps, 1], first, fenced, other)).toEqual([]);
    expect(racesIn([2, ...steps.filter((step) => step !== 2), 1], first, fenced, other)).toEqual([]);
  });
});

describe('fences', () => {
  const data = store('x', 1);
  const flag = store('f', 1, sys);
  const see = load('a', 'f', sys);
  const use = load('b', 'x');

  test.each([
    ['acquire', false, true],
    ['release', true, false],
    ['acq_rel', true, true],
    ['seq_cst', true, true],
  ] as const)(
    '%s: release by a later relaxed write: %s; acquire by an earlier relaxed read: %s',
    (order, releases, acquires) => {
      const reader = agent('1', load('a', 'f', strong('acquire')), use);
      expect(races(agent('0', data, fence(order), flag), reader)).toEqual(releases ? [] : ['x']);
      const writer = agent('0', data, store('f', 1, strong('release')));
      expect(races(writer, agent('1', see, fence(order), use))).toEqual(acquires ? [] : ['x']);
    },
  );

  test('release for all later strong writes of the thread, but not for plain ones', () => {
    const writer = (last: Operation): Agent => agent('0', data, fence('release'), store('g', 1, sys), last);
    const reader = agent('1', load('a', 'f', strong('acquire')), use);
    expect(races(writer(flag), reader)).toEqual([]);
    expect(races(writer(store('f', 1)), reader)).toEqual(['f', 'x']);
    expect(races(agent('0', fence('release'), data, flag), reader)).toEqual(['x']);
    expect(races(agent('0', data, flag, fence('release')), reader)).toEqual(['x']);
  });

  test('acquire whatever earlier strong reads have read, but not plain ones', () => {
    const writer = agent('0', data, store('f', 1, strong('release')));
    const other = load('c', 'g', sys);
    expect(races(writer, agent('1', see, other, fence('acquire'), use))).toEqual([]);
    expect(races(writer, agent('1', load('a', 'f'), fence('acquire'), use))).toEqual(['f', 'x']);
    expect(races(writer, agent('1', fence('acquire'), see, use))).toEqual(['x']);
    expect(races(writer, agent('1', see, use, fence('acquire')))).toEqual(['x']);
  });

  test('reach as far as their own scope, whatever the scope of the flag', () => {
    const fenced = (scope: MemoryScope): readonly string[] =>
      races(agent('0', data, fence('release', scope), flag), agent('0.1', see, fence('acquire', scope), use));
    const scopes: readonly MemoryScope[] = ['thread', 'block', 'device', 'system'];
    expect(scopes.map((scope) => fenced(scope).length)).toEqual([1, 1, 0, 0]);
  });

  test('of a wide scope stay effective after narrower ones', () => {
    const reader = agent('1', load('a', 'f', strong('acquire')), use);
    expect(races(agent('0', data, fence('release'), fence('release', 'block'), flag), reader)).toEqual([]);
    expect(races(agent('0', fence('release'), data, fence('release', 'block'), flag), reader)).toEqual(['x']);
    const writer = agent('0', data, store('f', 1, strong('release')));
    expect(races(writer, agent('1', see, fence('acquire', 'block'), use))).toEqual(['x']);
    expect(races(writer, agent('1', see, fence('acquire', 'block'), fence('acquire'), use))).toEqual([]);
  });

  test('acquire writes that were beyond the scope of acquire reads', () => {
    const writer = agent('0', data, store('f', 1, strong('release')));
    const between = agent('1', add('r', 'f', 1, sys));
    const near = load('a', 'f', strong('acquire', 'device'));
    expect(races(writer, between, agent('1.1', near, fence('acquire'), use))).toEqual([]);
    expect(races(writer, between, agent('1.1', near, fence('acquire', 'device'), use))).toEqual(['x']);
    expect(races(writer, between, agent('1.1', near, use))).toEqual(['x']);
  });

  test('by one thread have no effect for another thread of its CTA', () => {
    const writer = [agent('0', data, barrier(), flag), agent('0.0.1', barrier(), fence('release'))];
    expect(races(...writer, agent('1', load('a', 'f', strong('acquire')), use))).toEqual(['x']);
  });
});

describe('sequentially consistent fences', () => {
  const orders = ['acquire', 'release', 'acq_rel', 'seq_cst'] as const;

  test.each(orders.flatMap((first) => orders.map((second) => ({ first, second }))))(
    'are ordered with each other: $first, then $second',
    ({ first, second }) => {
      const told = races(agent('0', store('x', 1), fence(first)), agent('1', fence(second), load('a', 'x')));
      expect(told).toEqual(first === 'seq_cst' && second === 'seq_cst' ? [] : ['x']);
    },
  );

  const scopes: readonly MemoryScope[] = ['thread', 'block', 'device', 'system'];
  for (const [place, needed] of [
    ['0.0.1', 1],
    ['0.1', 2],
    ['1', 3],
  ] as const) {
    test.each(scopes.flatMap((first) => scopes.map((second) => ({ first, second }))))(
      `are ordered where both scopes include both: $first, then $second at ${place}`,
      ({ first, second }) => {
        const told = races(
          agent('0', store('x', 1), fence('seq_cst', first)),
          agent(place, fence('seq_cst', second), load('a', 'x')),
        );
        const reach = Math.min(scopes.indexOf(first), scopes.indexOf(second)) >= needed;
        expect(told).toEqual(reach ? [] : ['x']);
      },
    );
  }

  test('are ordered before seq_cst accesses of any word', () => {
    const first = agent('0', store('x', 1), store('f', 1, strong('seq_cst')));
    expect(races(first, agent('1', load('a', 'g', strong('seq_cst')), load('b', 'x')))).toEqual([]);
    expect(races(first, agent('1', load('a', 'g', strong('acquire')), load('b', 'x')))).toEqual(['x']);
    expect(races(first, agent('1', add('a', 'g', 1, strong('seq_cst')), load('b', 'x')))).toEqual([]);
  });

  test("in store buffering let one of two threads see the other's write and avoid the data", () => {
    const side = (rank: string, own: string, other: string, order: 'acq_rel' | 'seq_cst'): Agent =>
      agent(rank, store('x', 1), store(own, 1, sys), fence(order), load('a', other, sys), store('x', 2));
    // The second thread ignores what it has read, and is ordered after the first one's fence. Its
    // own fence is too late.
    expect(races(side('0', 'f', 'g', 'seq_cst'), side('1', 'g', 'f', 'seq_cst'))).toEqual(['x']);
    const late = agent('1', store('g', 1, sys), fence('seq_cst'), load('a', 'f', sys), store('x', 2));
    const early = agent('0', store('x', 1), store('f', 1, sys), fence('seq_cst'), load('a', 'g', sys));
    expect(races(early, late)).toEqual([]);
    const half = agent('1', store('g', 1, sys), fence('acq_rel'), load('a', 'f', sys), store('x', 2));
    // Nothing is released before the flag is raised.
    expect(races(early, half)).toEqual(['x']);
  });
});

describe('chains of read-modify-writes', () => {
  const writer = agent('0', store('x', 1), store('f', 1, strong('release')));
  const reader = agent('2', load('a', 'f', strong('acquire')), load('b', 'x'));

  test('pass on earlier releases, even if they are relaxed', () => {
    for (const order of ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'] as const) {
      expect(races(writer, agent('1', add('r', 'f', 1, strong(order))), reader)).toEqual([]);
      expect(races(writer, agent('1', exch('r', 'f', 1, strong(order))), reader)).toEqual([]);
      expect(races(writer, agent('1', cas('r', 'f', 1, 2, strong(order))), reader)).toEqual([]);
    }
  });

  test('end at stores of other threads', () => {
    expect(races(writer, agent('1', store('f', 2, sys)), reader)).toEqual(['x']);
    expect(races(writer, agent('1', store('f', 2, strong('release'))), reader)).toEqual(['x']);
  });

  test('end at one whose scope does not include the previous one', () => {
    expect(races(writer, agent('1', add('r', 'f', 1, strong('relaxed', 'device'))), reader)).toEqual(['f', 'x']);
  });

  test('pass on the releases of all of them', () => {
    const first = agent('0', store('x', 1), add('r', 'f', 1, strong('release')));
    const second = agent('1', store('y', 1), add('r', 'f', 1, strong('release')));
    const both = agent('2', load('a', 'f', strong('acquire')), load('b', 'x'), load('c', 'y'));
    expect(races(first, second, both)).toEqual([]);
    expect(races(first, agent('1', store('y', 1), add('r', 'f', 1, sys)), both)).toEqual(['y']);
    expect(races(agent('0', store('x', 1), add('r', 'f', 1, sys)), second, both)).toEqual(['x']);
  });

  test('order a reader of one after every earlier write of the chain', () => {
    const first = agent('0', add('r', 'f', 1, sys));
    const second = agent('1', add('r', 'f', 1, sys));
    expect(races(first, second, agent('2', load('a', 'f', sys), store('f', 0)))).toEqual([]);
    expect(races(first, second, agent('2', store('f', 0)))).toEqual(['f']);
  });
});

describe('a release at a word', () => {
  const release = store('f', 1, strong('release'));
  const reader = agent('2', load('a', 'f', strong('acquire')), load('b', 'x'));

  test("continues with its thread's later strong writes to that word", () => {
    expect(races(agent('0', store('x', 1), release, store('f', 2, sys)), reader)).toEqual([]);
    expect(races(agent('0', store('x', 1), release, exch('r', 'f', 2, sys)), reader)).toEqual([]);
    expect(races(agent('0', release, store('x', 1), store('f', 2, sys)), reader)).toEqual(['x']);
    expect(races(agent('0', store('x', 1), store('g', 1, strong('release')), store('f', 2, sys)), reader)).toEqual([
      'x',
    ]);
  });

  test('continues even if other threads wrote to the word in between', () => {
    const writer = agent('0', store('x', 1), release, store('f', 3, sys));
    const steps = [0, 0, 1, 0, 2, 2];
    expect(racesIn(steps, writer, agent('1', store('f', 2, sys)), reader)).toEqual([]);
    expect(racesIn(steps, writer, agent('1', store('f', 2, strong('release'))), reader)).toEqual([]);
    expect(racesIn(steps, writer, agent('1', exch('r', 'f', 2, sys)), reader)).toEqual([]);
    expect(racesIn([0, 0, 0, 1, 2, 2], writer, agent('1', store('f', 2, sys)), reader)).toEqual(['x']);
  });

  test('is ordered before an acquire of a later write, with the releasing write itself', () => {
    const writer = agent('0', release, store('f', 2, sys));
    expect(races(writer, agent('1', load('a', 'f', strong('acquire')), store('f', 3)))).toEqual([]);
    expect(
      races(writer, agent('1', load('a', 'f', strong('acquire')), barrier()), agent('1.0.1', barrier(), store('f', 3))),
    ).toEqual([]);
    const other = agent('1', store('f', 3, sys), load('a', 'f', strong('acquire')), store('f', 4));
    expect(racesIn([0, 1, 0, 1, 1], writer, other)).toEqual([]);
  });

  test('does not continue with plain writes', () => {
    expect(races(agent('0', store('x', 1), release, store('f', 2)), reader)).toEqual(['f', 'x']);
  });
});

test('an acquire of a word covers earlier reads of the thread, even if it has overwritten them', () => {
  const writer = agent('0', store('x', 1), add('r', 'f', 1, strong('release')));
  const reads = (last: 'acquire' | 'relaxed') =>
    agent('1', load('a', 'f', strong('relaxed')), store('f', 5), load('c', 'f', strong(last)), load('b', 'x'));
  expect(races(writer, reads('acquire'))).not.toContain('x');
  expect(races(writer, reads('relaxed'))).toContain('x');
});
