import { compileWork, planCollective, Team, TeamJob } from '@nccl-ts/cpu-collectives';
import { afterEach, describe, expect, inject, test } from 'vitest';

import { createMemory, type WebAssemblyMemory } from '@nccl-ts/codegen/encoder';
import { controlWords } from '../src/team/control-words.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const teams: Team[] = [];
afterEach(() => {
  for (const team of teams.splice(0)) team.close();
});

const COUNT = 5000;
const send = [8192, 8192 + 4 * COUNT + 64];
const recv = send.map((address) => address + (1 << 17));

function sumInto(memory: WebAssemblyMemory): TeamJob {
  const work = planCollective({
    collective: 'allReduce',
    element: 'f32',
    reduction: 'sum',
    count: COUNT,
    root: 0,
    send,
    recv,
  });
  return new TeamJob(compileWork(work, true), memory);
}

/** Waits turns of the event loop until the other threads know the job. */
async function known(team: Team, job: TeamJob): Promise<void> {
  while (!team.prepare(job)) await new Promise((resolve) => setImmediate(resolve));
}

function opened(threads: number): { readonly team: Team; readonly memory: WebAssemblyMemory } {
  const memory = createMemory(8, 8, true);
  const team = new Team(memory, threads);
  teams.push(team);
  return { team, memory };
}

/**
 * Returns how often each thread has synchronized with the others: once after each job, and once
 * before each job but the first.
 */
function meetings(memory: WebAssemblyMemory, threads: number): readonly number[] {
  const words = new Int32Array(memory.buffer);
  const { arrivals, arrivalStride } = controlWords;
  return Array.from({ length: threads }, (_, t) => words[(arrivals + t * arrivalStride) / 4] ?? 0);
}

describe('a team', () => {
  test.each([2, 3, 5].filter((_, i) => (i === 0) !== inject('slow')))(
    'of %i threads runs a job together',
    { timeout: 30_000 },
    async (threads) => {
      const { team, memory } = opened(threads);
      const job = sumInto(memory);
      await known(team, job);
      const floats = new Float32Array(memory.buffer);
      for (let round = 0; round < 20; round++) {
        for (const address of send) {
          for (let i = 0; i < COUNT; i++) floats[address / 4 + i] = i + round * address;
        }
        team.run(job, 3);
        // Before each repetition and after the last.
        expect(meetings(memory, threads)).toEqual(Array.from({ length: threads }, () => (round + 1) * 5));
        for (const address of recv) {
          for (const i of [0, 15, 16, 1234, COUNT - 1]) {
            const want = send.map((from) => Math.fround(i + round * from)).reduce((a, b) => Math.fround(a + b));
            expect(floats[address / 4 + i]).toBe(want);
          }
        }
      }
    },
  );

  test('uses one thread until the others have started, and on request', () => {
    const { team, memory } = opened(2);
    const job = sumInto(memory);
    const floats = new Float32Array(memory.buffer);
    floats.fill(2, send[0] ?? 0 / 4);
    team.run(job, 1, false);
    expect(meetings(memory, 2)).toEqual([0, 0]);
    expect(team.isHot).toBe(false);
    team.run(job);
    expect(floats[(recv[1] ?? 0) / 4 + 7]).toBe(
      (floats[(send[0] ?? 0) / 4 + 7] ?? 0) + (floats[(send[1] ?? 0) / 4 + 7] ?? 0),
    );
  });

  test.for(slow)('replaces old jobs when it has too many', { timeout: 30_000 }, async () => {
    const { team, memory } = opened(2);
    for (let i = 0; i < 5; i++) {
      const job = sumInto(memory);
      await known(team, job);
      expect(job.number).toBe(0);
      team.run(job);
      expect(meetings(memory, 2)).toEqual([i + 1, i + 1]);
      team.forget(job);
    }
  });

  test.for(slow)('runs jobs with one thread after it was closed', async () => {
    const { team, memory } = opened(2);
    const job = sumInto(memory);
    await known(team, job);
    team.close();
    team.run(job);
    expect(meetings(memory, 2)).toEqual([0, 0]);
  });
});
