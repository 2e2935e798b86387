import { isNcclError } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat } from '../../mismatch.ts';

const partOfGroup = kernel(
  { name: 'partOfGroup', use: { lsa }, params: { win: window, n: u32 } },
  ({ lsa, coopCta, coopTile, threadIdx, u32 }, { win, n }) => {
    if (threadIdx.x < n) {
      if (n < 8) coopTile(8).sync();
      else coopCta().sync();
      lsa.localPointer(win, u32, 0).store(threadIdx.x, 1);
    } else {
      // Threads that had ended would not be awaited.
      coopCta().sync();
    }
  },
);

export const missingThreads: Case<'traps/coops/missing-threads'> = defineCase({
  id: 'traps/coops/missing-threads',
  mirrors: 'a group some of whose threads do not arrive: of a tile, and of a CTA',
  requires: { checks: ['deadlock'], divergentWaits: true, subgroups: true },
  ranks: [1],
  kernels: [partOfGroup],
  run: async ({ run }) => {
    let thrown: unknown;
    try {
      await run(async (comm) => {
        const win = await comm.allocWindow('u32', 64);
        for (const n of [64, 0, 5]) {
          await comm.launch(partOfGroup, { grid: 1, block: 64 }, { win, n });
          await comm.synchronize();
          expectThat(n !== 5, 'Five threads of a tile of eight synchronized.');
        }
      });
    } catch (error) {
      thrown = error;
    }
    if (!isNcclError(thrown)) throw thrown;
    expectThat(thrown.code === 'NCCLTS_DEADLOCK', `expected NCCLTS_DEADLOCK, got ${thrown.code}.`);
  },
});
