import {
  as,
  exploreExecutions,
  fabricPair,
  fence,
  fenceProxy,
  join,
  open,
  read,
  spawn,
  wait,
  write,
  type AgentProgram,
  type AgentSteps,
  type Request,
} from '@nccl-ts/memory-model';
import { describe, expect, test } from 'vitest';
import { fabricRows, type Half, type Way } from '../fabric-rows.ts';

type Steps<T> = Generator<Request, T, unknown>;

const x = { at: 64, bytes: 4 };
const flag = { at: 128, bytes: 4 };
const system = (order: 'acquire' | 'release') => ({ order, scope: 'system' }) as const;

function thread(rank: number, start: () => AgentSteps): AgentProgram {
  return { name: `thread of ${rank}`, coordinates: { rank, cta: rank, thread: 0 }, start };
}

/** An agent of the fabric. A thread makes its requests. */
function operation(rank: number): AgentProgram {
  // oxlint-disable-next-line require-yield -- the thread makes its requests
  return { name: 'operation', coordinates: { rank, cta: rank, thread: 0, proxy: 'fabric' }, start: function* () {} };
}

/** Makes an access, and waits for its end if the fabric makes it. */
function* access(rank: number, way: Way, kind: 'read' | 'write', value: bigint): Steps<void> {
  const asked: Steps<unknown> = kind === 'read' ? read(x, undefined, kind) : write(x, undefined, kind, value);
  if (way === 'by a thread') {
    yield* asked;
    return;
  }
  const [agent = 0] = yield* open([operation(rank)]);
  yield* as(agent, asked);
  yield* join([agent], 'flush');
}

function* half(given: Half | undefined): Steps<void> {
  if (given === undefined) return;
  const [producer, consumer, order] = given;
  const pair = fabricPair(producer, consumer);
  if (order !== 'release') {
    yield* fence(system('acquire'), 'fence');
    if (pair !== undefined) yield* fenceProxy('fence', { pair, half: 'acquire' });
  }
  if (order !== 'acquire') {
    if (pair !== undefined) yield* fenceProxy('fence', { pair, half: 'release' });
    yield* fence(system('release'), 'fence');
  }
}

/** The numbers of races and of accesses without a proxy fence, in all executions. */
function problemsOf(programs: readonly AgentProgram[]): { races: number; mixes: number; executions: number } {
  const found = { races: 0, mixes: 0 };
  const { executions, complete } = exploreExecutions(programs, {
    runs: 1000,
    onExecution: ({ races, proxyMixes }) => {
      found.races += races.length;
      found.mixes += proxyMixes.length;
    },
  });
  expect(complete).toBe(true);
  return { ...found, executions };
}

describe('executions in which a thread and a logical endpoint access the same bytes', () => {
  test.each(fabricRows())('$id: $first, then $then', ({ first, then, release, acquire, problem }) => {
    for (const [before, now] of [
      ['write', 'read'],
      ['write', 'write'],
      ['read', 'write'],
    ] as const) {
      const { races, mixes, executions } = problemsOf([
        thread(0, function* () {
          yield* access(0, first, before, 1n);
          yield* half(release);
          yield* write(flag, system('release'), 'flag', 1n);
          return 0;
        }),
        thread(1, function* () {
          yield* wait((look) => (look(flag, system('acquire'), 'flag') > 0n ? { value: true } : undefined), 'wait');
          yield* half(acquire);
          yield* access(1, then, now, 2n);
          return 0;
        }),
      ]);
      // Without the fences a read may return an earlier or a later value.
      expect({ races, mixes }).toEqual({ races: 0, mixes: problem ? executions : 0 });
      expect(executions).toBe(problem && before !== now ? 2 : 1);
    }
  });

  test('an agent that a thread spawns after nothing is not ordered after that thread', () => {
    const [before, after] = (['everything', 'nothing'] as const).map((how) =>
      problemsOf([
        thread(0, function* () {
          yield* write(x, undefined, 'write', 1n);
          const reads = thread(1, function* () {
            yield* read(x, undefined, 'read');
            return 0;
          });
          yield* spawn([reads], how);
          return 0;
        }),
      ]),
    );
    expect(before).toEqual({ races: 0, mixes: 0, executions: 1 });
    expect(after).toEqual({ races: 2, mixes: 0, executions: 2 });
  });
});
