import { devComm, window } from '@nccl-ts/devcomm';
import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { allReduceTurn } from './all-reduce-turn.ts';

/**
 * As `allReduceTwoShot`, without a barrier at its end: a word of the sums has come when it is no
 * longer the sentinel. A sum that is, a NaN, becomes another NaN.
 *
 * Three buffers take turns as `recv`, and each must be full of sentinels when its turn comes. The
 * kernel writes them into `clear`, the buffer of the turn before. It fills the shares of the other
 * ranks too, or the next turn of that buffer would find old sums there. A rank that stores there
 * next has already read this rank's sums of the following turn, so this rank had finished this
 * turn.
 *
 * NCCL's version polls and clears only the last word of a line of 16 bytes: a quarter of the loads
 * and stores. It relies on lines that arrive in one piece and in the order of the stores, as on
 * hardware. PTX's memory model promises neither.
 *
 * `meet` in the first turn, where the host has written the sentinels. Nothing signals that the
 * other ranks have written the input: it must be complete before its turn, from line `sendLine` of
 * `send` on, on all ranks. Needs an LSA barrier for each CTA.
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
