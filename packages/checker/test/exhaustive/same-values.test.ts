import { check, explore } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

/** Rank 0 stores 7 to the word `AT`, and rank 1 the pair 7 and 8 to the words 0 and 1. */
const overlaps = (AT: number) =>
  kernel(
    { name: `overlaps_${AT}`, use: { lsa, AT }, params: { comm: devComm, win: window } },
    ({ lsa, AT, u32, vec }, { comm, win }) => {
      if (comm.rank === 0) lsa.pointer(win, u32, 0, 0).store(AT, 7);
      else lsa.pointer(win, vec(u32, 2), 0, 0).store(0, vec(u32, 2)(7, 8));
    },
  );

/** Rank 0 stores 7 to a half of the word 0, and rank 1 the same value to the whole word. */
const halves = kernel(
  { name: 'halves', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, u16, u32 }, { comm, win }) => {
    if (comm.rank === 0) lsa.pointer(win, u16, 0, 0).store(0, 7);
    else lsa.pointer(win, u32, 0, 0).store(0, 7);
  },
);

describe('two stores to the same bytes', () => {
  it.each([
    ['note', 'a number and a vector store the same value', overlaps(0)],
    ['error', 'a number and a vector store different values', overlaps(1)],
    ['error', 'one of them stores a half of a word', halves],
  ])('are a race with severity %s, if %s', async (severity, _what, stores) => {
    const run = async (comm: Communicator): Promise<void> => {
      const win = await comm.allocWindow('u32', 4);
      await comm.launch(stores, { grid: 1, block: 1 }, { comm: await comm.createDevComm({}), win });
      await comm.synchronize();
    };
    const program = async (backend: Parameters<typeof World.open>[0]['backend']): Promise<void> => {
      const world = await World.open({ backend });
      try {
        await world.run(run);
      } finally {
        await world.close();
      }
    };
    const checked = await check({ ranks: 2 }, program);
    const explored = await explore({ ranks: 2, mode: 'check' }, program, { runs: 100 });
    for (const findings of [checked.findings, explored.report?.findings])
      expect(findings?.map((one) => one.severity)).toEqual([severity]);
  });
});
