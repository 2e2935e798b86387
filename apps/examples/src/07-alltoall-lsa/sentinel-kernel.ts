import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { devComm, window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';
import { allToAllTurn } from './all-to-all-turn.ts';

/**
 * An all-to-all within an LSA team without a barrier. A word has arrived when it is no longer the
 * sentinel. No word of data may equal the sentinel.
 *
 * Three buffers alternate as `recv`. Each must be full of sentinels when its turn comes. When all
 * words have arrived, the kernel writes sentinels into `clear`, the buffer of the previous turn.
 * Another rank may store to it two turns later. That rank has read this rank's words of the turn in
 * between, so this rank has finished this turn.
 *
 * NCCL's version stores a 16-byte line at once, and polls and clears only its last word, which
 * takes a quarter of the loads and stores. It relies on lines that arrive as a whole and in the
 * order of the stores, as on hardware. PTX's memory model guarantees neither.
 *
 * `meet` must be true in the first turn, because the host has written the sentinels. Needs an LSA
 * barrier for each CTA, and whole warps.
 */
export const allToAllSentinel = kernel(
  {
    name: 'allToAllSentinel',
    use: { lsa, allToAllTurn },
    params: { send: window, recv: window, clear: window, lines: u32, meet: bool, comm: devComm },
  },
  ({ lsa, allToAllTurn, coopCta, blockIdx, gridDim, min }, { send, recv, clear, lines, meet, comm }) => {
    const each = (lines + gridDim.x - 1) / gridDim.x;
    const first = blockIdx.x * each;
    if (first >= lines) return;
    if (meet) {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
    }
    allToAllTurn(comm, send, recv, clear, lines, first, min(first + each, lines));
  },
);
