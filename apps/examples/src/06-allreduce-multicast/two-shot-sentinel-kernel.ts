import { devComm, window } from '@nccl-ts/devcomm';
import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { allReduceTurn } from './all-reduce-turn.ts';

/**
 * Like `allReduceTwoShot`, without a barrier at its end. A word of the sums has arrived when it is
 * no longer the sentinel. The sentinel is a NaN, and a sum that equals it becomes another NaN.
 *
 * Three buffers alternate as `recv`, and each must be full of sentinels when its turn comes. The
 * kernel writes them into `clear`, the buffer of the previous turn. It also fills the shares of the
 * other ranks, because the next turn of that buffer would otherwise find old sums there. A rank
 * that stores there next has already read this rank's sums of the following turn. So this rank has
 * finished this turn.
 *
 * NCCL's version polls and clears only the last word of a 16-byte line, which takes a quarter of
 * the loads and stores. It relies on lines that arrive as a whole and in the order of the stores,
 * as on hardware. PTX's memory model guarantees neither.
 *
 * `meet` must be true in the first turn, because the host has written the sentinels. No signal
 * shows that the other ranks have written the input. It must be complete before its turn, from line
 * `sendLine` of `send` on, on all ranks. Needs an LSA barrier for each CTA.
 */
export const allReduceTwoShotSentinel = kernel(
  {
    name: 'allReduceTwoShotSentinel',
    use: { lsa, allReduceTurn },
    params: { send: window, sendLine: u32, recv: window, clear: window, lines: u32, meet: bool, comm: devComm },
  },
  (
    { lsa, allReduceTurn, coopCta, blockIdx, gridDim, u32, min },
    { send, sendLine, recv, clear, lines, meet, comm },
  ) => {
    const share = lines / u32(comm.lsaSize);
    const each = (share + gridDim.x - 1) / gridDim.x;
    const first = blockIdx.x * each;
    if (first >= share) return;
    if (meet) {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
    }
    allReduceTurn(comm, send, sendLine, recv, clear, share, first, min(first + each, share));
  },
);
