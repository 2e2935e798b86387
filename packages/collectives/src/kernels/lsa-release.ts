import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * What the threads of the CTA did before is released by those that will signal to peers in the next
 * barrier, which needs no release of its own then. That barrier would let all threads fence, and a
 * fence of all warps takes twice as long as that of one. Thread `i` of the CTA signals to the
 * `i`-th other rank, and what other threads did comes before its fence by the CTA's
 * synchronization.
 */
export const releaseForBarrier: DeviceFn<(comm: DevComm) => void> = deviceFn(
  { name: 'releaseForBarrier' },
  ({ coopCta, fence, threadIdx, u32 }, comm: DevComm) => {
    coopCta().sync();
    if (threadIdx.x + 1 < u32(comm.lsaSize)) fence('release', 'system');
  },
);
