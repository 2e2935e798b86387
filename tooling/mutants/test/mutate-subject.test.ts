import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, test } from 'vitest';
import { mutateSubject } from '../src/mutate-subject.ts';
import { scoreOf } from '../src/score.ts';
import type { Subject } from '../src/subject.ts';
import { survivorsText } from '../src/survivors-text.ts';
import { trials } from '../src/trials.ts';

/** Rank 0 hands a number to rank 1. Where there are many threads, which there are not, they meet. */
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

describe('a program that hands a number over', () => {
  test('notices everything that is taken from it, but what it never runs', async () => {
    const outcome = await mutateSubject(program(42), { trials });
    expect(outcome).toMatchObject({
      subject: 'hand-over',
      kernels: [{ kernel: 'handOver', mutants: 7, survivors: [], unreached: 2 }],
    });
    expect(scoreOf([outcome])).toEqual({ mutants: 7, killed: 7, equivalent: 0, small: 0, unproven: 0, ratio: 1 });
  });

  test('is left out where it is wrong as it is', async () => {
    const outcome = await mutateSubject(program(43), { trials });
    expect(outcome).toMatchObject({ unclean: { by: 'wrong-result' }, kernels: [] });
    expect(survivorsText([outcome], trials)).toContain('- hand-over: wrong-result: the program says');
  });
});

test('the text tells survivors with a proof from those without', () => {
  const survivor = { operator: 'sync-removed', does: 'The sync is removed.' } as const;
  const survivors = [
    { ...survivor, id: 'sync#1:sync-removed', equivalence: { kind: 'unproven', why: 'no proof was tried' } },
    {
      ...survivor,
      id: 'sync#2:sync-removed',
      equivalence: { kind: 'exhaustive', size: { ranks: 2, lsaSize: 2, ctas: 2, threads: 2 }, schedules: 90 },
    },
    {
      ...survivor,
      id: 'sync#2:sync-narrowed',
      equivalence: {
        kind: 'less than',
        of: 'sync#2:sync-removed',
        size: { ranks: 1, lsaSize: 1, ctas: 1, threads: 64 },
      },
    },
  ] as const;
  const one = { kernel: 'k', mutants: 5, killedBy: { race: 2 }, survivors, unreached: 1, rejected: 0, repeated: 0 };
  const outcome = { subject: 's', shape: { ranks: 2, lsaSize: 2 }, kernels: [one] };
  expect(scoreOf([outcome])).toEqual({ mutants: 5, killed: 2, equivalent: 1, small: 1, unproven: 1, ratio: 1 / 2 });
  const text = survivorsText([outcome], trials);
  expect(text).toContain('**Score: 50.0 %**');
  expect(text).toMatch(
    /without a proof\n\n### s, k\n\n- `sync#1:sync-removed`: no proof was tried\n\n## Survivors that are equivalent in small programs\n\n### s, k\n\n- `sync#2:sync-narrowed`: /,
  );
});
