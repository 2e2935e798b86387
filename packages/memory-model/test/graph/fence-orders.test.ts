import {
  executionsOf,
  ExecutionSpace,
  fence,
  isPossible,
  write,
  type AgentProgram,
  type AgentSteps,
} from '@nccl-ts/memory-model';
import { describe, expect, test } from 'vitest';

const word = { at: 64, bytes: 4 };
const sequential = { order: 'seq_cst', scope: 'system' } as const;

function agent(rank: number, start: () => AgentSteps): AgentProgram {
  return { name: `${rank}`, coordinates: { rank, cta: rank, thread: 0 }, start };
}

/** Only one of the two orders of the fences orders the two stores. */
const programs = [
  agent(0, function* () {
    yield* fence(sequential, 'first fence');
    yield* write(word, undefined, 'store behind', 1n);
    return undefined;
  }),
  agent(1, function* () {
    yield* write(word, undefined, 'store before', 2n);
    yield* fence(sequential, 'second fence');
    return undefined;
  }),
];

function raceCounts(looks: (run: Parameters<typeof executionsOf>[0]) => void): readonly number[] {
  const space = new ExecutionSpace({ runs: 100 });
  const run = space.begin();
  if (run === undefined) throw new Error('There is no run.');
  for (const program of programs) run.start(program);
  while (space.step() === 'moved');
  looks(run);
  return [...executionsOf(run)].map(({ races }) => races.length);
}

describe('the orders between sequential fences', () => {
  test('are explored in both directions, each direction with its races', () => {
    expect(raceCounts(() => undefined)).toEqual([1, 0]);
  });

  test('stay open for a caller that stops at the first execution', () => {
    expect(raceCounts((run) => void isPossible(run))).toEqual([1, 0]);
    expect(
      raceCounts((run) => {
        for (const _ of executionsOf(run)) break;
      }),
    ).toEqual([1, 0]);
  });
});
