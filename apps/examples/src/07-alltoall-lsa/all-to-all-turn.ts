import type { DevComm, Window } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { SENTINEL } from '../sentinel.ts';
import { pushWords } from './push-chunks.ts';

/**
 * An all-to-all of one CTA with the CTAs of its number on the other ranks: pushes lines `first` to
 * `end` - 1 of each chunk of `send`, waits for theirs in `recv`, and fills the same part of `clear`
 * with sentinels. Afterwards all threads of the CTA may read the received data, and begin the next
 * turn: `recv` is `clear` in that one.
 *
 * Each word of 4 bytes shows its own arrival by no longer being the sentinel. So every word is
 * stored and polled by relaxed accesses of its size: reading one says nothing about another. Fences
 * order the clearing. A CTA that stores there, two turns later, acquires after it has read words of
 * the next turn, which were stored after a release.
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
