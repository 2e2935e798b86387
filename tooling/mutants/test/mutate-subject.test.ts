import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, test } from 'vitest';
import { mutateSubject } from '../src/mutate-subject.ts';
import { scoreOf } from '../src/score.ts';
import type { Subject } from '../src/subject.ts';
import { survivorsText } from '../src/survivors-text.ts';
import { trials } from '../src/trials.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/**
 * Rank 0 passes a number to rank 1. The kernel has a branch for many threads, but never runs with
 * many.
 */
const handOver = kernel(
  { name: 'handOver', use: { lsa }, params: { comm: devComm, data: window, flag: window } },
  ({ lsa, coopCta, threadIdx, blockDim, waitUntil, u32 }, { comm, data, flag }) => {
    if (blockDim.x > 64) coopCta().sync();
    if (threadIdx.x > 0) return;
    if (comm.lsaRank === 0) {
      lsa.pointer(data, u32, 0, 1)[0] = 7;
      lsa.pointer(flag, u32, 0, 1).store(0, 1, 'release', 'system');
    } else {
      const mine = lsa.localPointer(flag, u32, 0);
      waitUntil(() => mine.load(0, 'acquire', 'system') === 1);
      const seen = lsa.localPointer(data, u32, 0);
      seen[1] = seen[0]! * 6;
    }
  },
);

function program(expected: number): Subject {
  return {
    name: 'hand-over',
    shape: { ranks: 2, lsaSize: 2 },
    run: async (backend) => {
      await using world = await World.open({ backend });
      const [, got] = await world.run(async (comm) => {
        const data = await comm.allocWindow(u32, 2);
        const flag = await comm.allocWindow(u32, 1);
        await comm.launch(handOver, { grid: 1, block: 2 }, { comm: await comm.createDevComm(), data, flag });
        return (await data.read())[1];
      });
      return got === expected;
    },
  };
}

describe('a program that sends a number', () => {
  test.for(slow)('every removal is detected, except in code that it never runs', async () => {
    const outcome = await mutateSubject(program(42), { trials });
    expect(outcome).toMatchObject({
      subject: 'hand-over',
      kernels: [{ kernel: 'handOver' }],
    });
    expect(outcome.kernels[0]?.verdicts.replaceAll('k', '')).toBe('--');
    expect(scoreOf([outcome])).toMatchObject({ mutants: 7, killed: 7, equivalent: 0, unknown: 0, atLeast: 1 });
  });

  test('is left out if it is itself wrong', async () => {
    const outcome = await mutateSubject(program(43), { trials });
    expect(outcome).toMatchObject({ unclean: { by: 'wrong-result' }, kernels: [] });
    expect(survivorsText([outcome], trials)).toContain('- hand-over: wrong-result: the program reports');
  });
});

test('has a page that says which part of the score only the checker proves', () => {
  const one = { kernel: 'k', ids: '', verdicts: 'kkgou-', killedBy: { race: 2 }, rejected: 0, repeated: 0 };
  const text = survivorsText([{ subject: 's', shape: { ranks: 2, lsaSize: 2 }, kernels: [one] }], trials);
  expect(text).toContain('| s | 2 x 2 | 5 | 2 | 1 | 2 | 1 |');
  expect(text).toContain('**Score: 50.0 % at least**, where all that is unknown counts as missed; 66.7 % where');
});
