import { at } from '@nccl-ts/core';
import { exploreExecutions, modify, type AgentProgram, type SpaceOptions } from '@nccl-ts/memory-model';
import { describe, expect, test } from 'vitest';

const adders: readonly AgentProgram[] = [0, 1, 2].map((rank) => ({
  name: `${rank}`,
  coordinates: { rank, cta: rank, thread: 0 },
  start: function* () {
    yield* modify({ at: 64, bytes: 4 }, { order: 'relaxed', scope: 'system' }, 'add', (old) => old + 1n);
    return undefined;
  },
}));

const explored = (options: Partial<SpaceOptions>): ReturnType<typeof exploreExecutions> =>
  exploreExecutions(adders, { runs: 1000, ...options, onExecution: () => undefined });

describe('a space of executions', () => {
  test('ends after its limit of accesses', () => {
    const all = explored({});
    expect(all.complete).toBe(true);
    const some = explored({ accesses: 40 });
    expect(some.complete).toBe(false);
    expect(some.runs).toBeLessThan(all.runs);
    expect(explored({ accesses: 40 })).toEqual(some);
  });

  test('ends at its time limit, even in the middle of a run', () => {
    let ticks = 0;
    const clocked = (milliseconds: number): ReturnType<typeof exploreExecutions> =>
      explored({ milliseconds, now: () => ticks++ });
    expect(clocked(3)).toEqual({ executions: 0, runs: 1, complete: false });
    expect(clocked(1e9).complete).toBe(true);
  });
});

describe('a work item', () => {
  test('without an entry is an error that names its index', () => {
    expect(at([0, 0], 1)).toBe(0);
    expect(() => at([0, 0], 2)).toThrow(new RangeError('There is no item 2 in a list of 2.'));
    expect(() => at(new Int32Array(1), -1)).toThrow('There is no item -1');
  });
});
