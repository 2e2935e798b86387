import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { devComm, window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';
import { SENTINEL } from '../sentinel.ts';
import { pushLines } from './push-lines.ts';

/**
 * An all-to-all within an LSA team without a barrier: a line has come when its last word is no longer the sentinel, which no
 * data may contain there.
 *
 * Three buffers take turns as `recv`. Each must be full of sentinels when its turn comes; the kernel writes them into
 * `clear`, the buffer of the turn before, when all lines have come. Two turns later somebody may store to it: whoever does
 * has seen my lines of one turn later, so I was through with this one.
 *
 * `meet` in the first turn, where the host has written the sentinels. Needs an LSA barrier for each CTA, and whole warps.
 */
export const allToAllSentinel = kernel(
  {
    name: 'allToAllSentinel',
    use: { lsa, pushLines, SENTINEL },
    params: { send: window, recv: window, clear: window, lines: u32, meet: bool, comm: devComm },
  },
  (
    { lsa, pushLines, SENTINEL, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32, min },
    { send, recv, clear, lines, meet, comm },
  ) => {
    const each = (lines + gridDim.x - 1) / gridDim.x;
    const first = blockIdx.x * each;
    if (first >= lines) return;
    const end = min(first + each, lines);
    if (meet) {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
    }

    pushLines(comm, send, recv, lines, first, end);

    const mine = end - first;
    const total = u32(comm.lsaSize) * mine;
    const words = lsa.localPointer(recv, u32, 0);
    coopCta().waitAll(total, (i) => {
      const line = (u32(i) / mine) * lines + first + (u32(i) % mine);
      return words.load(4 * line + 3, 'relaxed', 'system') !== SENTINEL;
    });

    const cleared = lsa.localPointer(clear, u32, 0);
    for (let i = threadIdx.x; i < total; i += blockDim.x) {
      cleared[4 * ((i / mine) * lines + first + (i % mine)) + 3] = SENTINEL;
    }
  },
);
