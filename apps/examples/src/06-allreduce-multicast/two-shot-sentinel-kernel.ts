import { devComm, window } from '@nccl-ts/devcomm';
import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { SENTINEL } from '../sentinel.ts';
import { reduceShare } from './reduce-share.ts';

/**
 * As `allReduceTwoShot`, without a barrier at its end: a line of sums has come when its last word is no longer the sentinel.
 *
 * Three buffers take turns as `recv`, and each must be full of sentinels when its turn comes; the kernel writes them into
 * `clear`, the buffer of the turn before, and all of it: the others' shares too, or its next turn would find old sums there. Who
 * stores there next has seen my sums of the turn after this one, so I was through with this one.
 *
 * `meet` in the first turn, where the host has written the sentinels. Nothing says that the others have written what is to be
 * summed: it must be there before its turn, from line `sendLine` of `send` on, on all ranks. Needs an LSA barrier for each CTA.
 */
export const allReduceTwoShotSentinel = kernel(
  {
    name: 'allReduceTwoShotSentinel',
    use: { lsa, reduceShare, SENTINEL },
    params: { send: window, sendLine: u32, recv: window, clear: window, lines: u32, meet: bool, comm: devComm },
  },
  (
    { lsa, reduceShare, SENTINEL, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32, min },
    { send, sendLine, recv, clear, lines, meet, comm },
  ) => {
    if (meet) {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
    }
    const share = lines / u32(comm.lsaSize);
    const each = (share + gridDim.x - 1) / gridDim.x;
    const begin = u32(comm.lsaRank) * share;
    const shareEnd = begin + share;
    const from = min(begin + blockIdx.x * each, shareEnd);
    reduceShare(comm, send, sendLine, recv, from, min(from + each, shareEnd));

    // Which lines a CTA polls and clears has nothing to do with which it sums.
    const polled = (lines + gridDim.x - 1) / gridDim.x;
    const first = min(blockIdx.x * polled, lines);
    const count = min(first + polled, lines) - first;
    const words = lsa.localPointer(recv, u32, 0);
    coopCta().waitAll(count, (i) => words.load(4 * (first + u32(i)) + 3, 'relaxed', 'system') !== SENTINEL);

    const cleared = lsa.localPointer(clear, u32, 0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) cleared[4 * (first + i) + 3] = SENTINEL;
  },
);
