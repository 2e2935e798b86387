import type { DevComm, Window } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { SENTINEL } from '../sentinel.ts';
import { pushWords } from './push-chunks.ts';

/**
 * An all-to-all between the CTAs with the same index on all ranks. It pushes lines `first` to `end`
 * - 1 of each chunk of `send`, waits for the other ranks' lines in `recv`, and fills the same part
 * of `clear` with sentinels. Afterwards all threads of the CTA may read the received data and begin
 * the next turn, in which `recv` is `clear`.
 *
 * A 4-byte word has arrived when it is no longer the sentinel. A word that has arrived says nothing
 * about another, so every word is stored and polled by relaxed accesses of its size. Fences order
 * the clearing. A CTA that stores there two turns later has acquired after it read words of the
 * next turn, which were stored after a release.
 */
export const allToAllTurn: DeviceFn<
  (comm: DevComm, send: Window, recv: Window, clear: Window, lines: number, first: number, end: number) => void
> = deviceFn(
  { name: 'allToAllTurn', use: { lsa, pushWords, SENTINEL } },
  (
    { lsa, pushWords, SENTINEL, coopCta, fence, threadIdx, blockDim, vec, u32 },
    comm: DevComm,
    send: Window,
    recv: Window,
    clear: Window,
    lines: number,
    first: number,
    end: number,
  ) => {
    coopCta().sync();
    fence('release', 'system');
    pushWords(comm, send, recv, 4 * lines, 4 * first, 4 * end);

    const mine = end - first;
    const nRanks = u32(comm.lsaSize);
    const words = lsa.localPointer(recv, u32, 0);
    coopCta().waitAll(nRanks * 4 * mine, (i) => {
      const chunk = u32(i) / (4 * mine);
      return words.load(4 * (chunk * lines + first) + (u32(i) % (4 * mine)), 'relaxed', 'system') !== SENTINEL;
    });
    fence('acquire', 'system');

    const line = vec(u32, 4);
    const cleared = lsa.localPointer(clear, line, 0);
    for (let i = threadIdx.x; i < nRanks * mine; i += blockDim.x) {
      cleared[(i / mine) * lines + first + (i % mine)] = line(SENTINEL);
    }
    coopCta().sync();
  },
);
