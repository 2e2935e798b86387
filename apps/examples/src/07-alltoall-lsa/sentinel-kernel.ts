import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { devComm, window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';
import { allToAllTurn } from './all-to-all-turn.ts';

/**
 * An all-to-all within an LSA team without a barrier: a word has come when it is no longer the
 * sentinel, which no word of data may be.
 *
 * Three buffers take turns as `recv`. Each must be full of sentinels when its turn comes; the
 * kernel writes them into `clear`, the buffer of the turn before, when all words have come. Two
 * turns later, another rank may store to it. That rank has read my words of the turn between, so I
 * had finished this one.
 *
 * NCCL's stores a line of 16 bytes at once, and has its last word alone polled and cleared: a
 * quarter of the loads and stores. It counts on a line to come in one piece, and each after what
 * was stored before it, as hardware does; PTX's memory model promises neither.
 *
 * `meet` in the first turn, where the host has written the sentinels. Needs an LSA barrier for each
 * CTA, and whole warps.
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
