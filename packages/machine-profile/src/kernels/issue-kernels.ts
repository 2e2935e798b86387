import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 as U32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { MicroKernel } from './micro-kernel.ts';

const params = { comm: devComm, win: window, zero: U32 } as const;

/**
 * `2 * pairs` instructions between a load and a store, each of which needs the one before it. A
 * launch executes every one of them once, as it does most code of a short collective, so it also
 * fetches each of them once. `zero` is 0, which no compiler knows.
 */
export const straightCode = (pairs: number): MicroKernel<'zero'> =>
  kernel(
    { name: `straightCode${pairs}`, use: { lsa, PAIRS: pairs }, params },
    ({ lsa, PAIRS, threadIdx, u32, unroll }, { comm, win, zero }) => {
      const mine = lsa.pointer(win, u32, 0, comm.lsaRank);
      let x = mine.load(7000 + threadIdx.x);
      for (const _ of unroll(PAIRS)) x = (x ^ zero) + zero;
      mine.store(7000 + threadIdx.x, x);
    },
  );
