import type { DevComm, Window } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { SENTINEL } from '../sentinel.ts';
import { notSentinel } from './not-sentinel.ts';
import { reduceShare } from './reduce-share.ts';

/**
 * An AllReduce between the CTAs with the same index on all ranks. It sums lines `first` to `end` -
 * 1 of the rank's own share of `send`. Each share has `share` lines. It waits for the sums of all
 * shares in `recv`, and fills the same part of `clear` with sentinels. Afterwards all threads of
 * the CTA may read the sums and begin the next turn, in which `recv` is `clear`.
 *
 * A 4-byte word has arrived when it is no longer the sentinel. Multicast stores are relaxed, word
 * by word, so the kernel polls every word with relaxed loads of its size. A word that has arrived
 * says nothing about another. Fences order the clearing. A CTA that stores there two turns later
 * has acquired after it read words of the next turn, which were stored after a release. According
 * to PTX, turns of one kernel also need `fenceProxy('alias')` between them, because the cleared
 * words were stored through other addresses. Turns of consecutive kernels do not need it.
 */
export const allReduceTurn: DeviceFn<
  (
    comm: DevComm,
    send: Window,
    sendLine: number,
    recv: Window,
    clear: Window,
    share: number,
    first: number,
    end: number,
  ) => void
> = deviceFn(
  { name: 'allReduceTurn', use: { lsa, notSentinel, reduceShare, SENTINEL } },
  (
    { lsa, notSentinel, reduceShare, SENTINEL, coopCta, fence, threadIdx, blockDim, vec, u32 },
    comm: DevComm,
    send: Window,
    sendLine: number,
    recv: Window,
    clear: Window,
    share: number,
    first: number,
    end: number,
  ) => {
    coopCta().sync();
    fence('release', 'system');
    const begin = u32(comm.lsaRank) * share;
    reduceShare(comm, send, sendLine, recv, begin + first, begin + end, (sums) => notSentinel(sums));

    const mine = end - first;
    const nRanks = u32(comm.lsaSize);
    const words = lsa.localPointer(recv, u32, 0);
    coopCta().waitAll(nRanks * 4 * mine, (i) => {
      const line = (u32(i) / (4 * mine)) * share + first;
      return words.load(4 * line + (u32(i) % (4 * mine)), 'relaxed', 'system') !== SENTINEL;
    });
    fence('acquire', 'system');

    const line = vec(u32, 4);
    const cleared = lsa.localPointer(clear, line, 0);
    for (let i = threadIdx.x; i < nRanks * mine; i += blockDim.x) {
      cleared[(i / mine) * share + first + (i % mine)] = line(SENTINEL);
    }
    coopCta().sync();
  },
);
