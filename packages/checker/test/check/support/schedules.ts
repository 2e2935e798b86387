import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Each rank stores its number at every peer, and reads the received numbers, with or without a
 * barrier in between.
 */
const exchange = (meets: boolean) =>
  kernel(
    { name: 'exchange', use: { lsa, MEETS: meets }, params: { comm: devComm, win: window, out: window } },
    ({ lsa, MEETS, coopCta, threadIdx, u32 }, { comm, win, out }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      bar.sync(coopCta(), 'acquire');
      if (threadIdx.x < u32(comm.lsaSize)) {
        lsa.pointer(win, u32, 0, threadIdx.x).store(u32(comm.lsaRank), u32(comm.lsaRank) + 1);
      }
      if (MEETS) bar.sync(coopCta(), 'acq_rel');
      let sum = u32(0);
      for (let i = 0; i < comm.lsaSize; i++) sum += lsa.localPointer(win, u32, 0).load(i);
      if (threadIdx.x === 0) lsa.localPointer(out, u32, 0).store(0, sum);
    },
  );

export const right = exchange(true);
export const wrong = exchange(false);
