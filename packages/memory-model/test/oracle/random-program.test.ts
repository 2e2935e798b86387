import { memoryOrders, memoryScopes } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';

import { verdictOf } from './oracle.ts';
import { randomProgram } from './random-program.ts';
import { linesOf } from './small-program.ts';
import type { Operation, SmallProgram } from './small-program.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const seeds = Array.from({ length: 600 }, (_, seed) => seed);
const programs = seeds.map(randomProgram);

function operationsOf({ agents }: SmallProgram): readonly Operation[] {
  return agents.flatMap(({ operations }) => linesOf(operations).map(({ operation }) => operation));
}

/** True if two agents touch one location, one of them with a plain write. */
function hasConflict({ agents }: SmallProgram): boolean {
  const touched = agents.map(({ operations }) => linesOf(operations).map(({ operation }) => operation));
  return touched.some((own, agent) =>
    own.some(
      (first) =>
        first.kind === 'store' &&
        first.ordering === 'weak' &&
        touched.some(
          (others, other) =>
            other !== agent && others.some((second) => 'location' in second && second.location === first.location),
        ),
    ),
  );
}

describe(`random programs with seeds 0 to ${seeds.length - 1}`, () => {
  test.for(quick)('are the same for the same seed', () => {
    expect(seeds.slice(0, 50).map(randomProgram)).toEqual(programs.slice(0, 50));
    expect(new Set(programs.map(({ agents }) => JSON.stringify(agents))).size).toBeGreaterThan(seeds.length * 0.95);
  });

  test.for(quick)('have 2 to 4 threads and 3 to 8 accesses', () => {
    const agents = new Set(programs.map((program) => program.agents.length));
    expect([...agents].sort((a, b) => a - b)).toEqual([2, 3, 4]);
    const accesses = programs.map((program) => operationsOf(program).filter((it) => 'location' in it).length);
    expect([...new Set(accesses)].sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8]);
  });

  test.for(quick)('have every kind of operation, with every order and every scope', () => {
    const found = new Set(
      programs.flatMap(operationsOf).flatMap((operation) => {
        const kind = operation.kind === 'rmw' ? operation.update : operation.kind;
        if (!('ordering' in operation)) return [kind];
        const { ordering } = operation;
        return ordering === 'weak' ? [`${kind} weak`] : [`${kind} ${ordering.order}`, `${kind} ${ordering.scope}`];
      }),
    );
    const loads = ['weak', 'relaxed', 'acquire', 'seq_cst', ...memoryScopes];
    const wanted: Readonly<Record<string, readonly string[]>> = {
      load: loads,
      wait: loads,
      store: ['weak', 'relaxed', 'release', 'seq_cst', ...memoryScopes],
      exch: [...memoryOrders, ...memoryScopes],
      add: [...memoryOrders, ...memoryScopes],
      cas: [...memoryOrders, ...memoryScopes],
      fence: [...memoryOrders.filter((order) => order !== 'relaxed'), ...memoryScopes],
    };
    const names = Object.entries(wanted).flatMap(([kind, parts]) => parts.map((part) => `${kind} ${part}`));
    expect([...found].sort()).toEqual([...names, 'barrier', 'if'].sort());
  });

  test.for(quick)('have threads of one CTA, of two CTAs of a rank, and of two ranks', () => {
    const distances = programs.flatMap(({ agents: [first, second] }) => {
      if (first === undefined || second === undefined) return [];
      if (first.place.rank !== second.place.rank) return ['ranks'];
      return first.place.cta === second.place.cta ? ['one CTA'] : ['CTAs'];
    });
    for (const distance of ['ranks', 'one CTA', 'CTAs']) {
      expect(distances.filter((it) => it === distance).length).toBeGreaterThan(seeds.length * 0.15);
    }
  });

  test.for(slow)(
    'race in a third of all cases, are ordered in a third, and in a fifth are ordered despite conflicting plain writes',
    { timeout: 60_000 },
    () => {
      const verdicts = programs.map((program) => verdictOf(program));
      const racy = verdicts.filter(({ races }) => races.length > 0).length;
      const guarded = programs.filter(
        (program, seed) => verdicts[seed]?.races.length === 0 && hasConflict(program),
      ).length;
      const ending = verdicts.filter(({ outcomes }) => outcomes.length > 0).length;
      const stuck = verdicts.filter(({ deadlocks }) => deadlocks).length;
      expect(racy / seeds.length).toBeGreaterThan(1 / 3);
      expect(1 - racy / seeds.length).toBeGreaterThan(1 / 3);
      expect(guarded / seeds.length).toBeGreaterThan(1 / 5);
      expect(ending / seeds.length).toBeGreaterThan(0.8);
      expect(stuck / seeds.length).toBeGreaterThan(0.02);
    },
  );
});
