import type { DevComm, Window } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Stores lines `first` to `end` - 1 of the chunk for each LSA peer into that peer's memory; a line has 16 bytes, a chunk
 * `lines` of them. Chunk p of the own `send` becomes chunk r of rank p's `recv`, r being the own rank.
 *
 * The warps of the CTA take turns with the peers, so that many links are busy at once; where there are more warps than
 * peers, several share one.
 */
export const pushLines: DeviceFn<
  (comm: DevComm, send: Window, recv: Window, lines: number, first: number, end: number) => void
> = deviceFn(
  { name: 'pushLines', use: { lsa } },
  (
    { lsa, threadIdx, blockDim, warpSize, laneId, vec, u32, min, max },
    comm: DevComm,
    send: Window,
    recv: Window,
    lines: number,
    first: number,
    end: number,
  ) => {
    const nRanks = u32(comm.lsaSize);
    const nWarps = blockDim.x / warpSize;
    const parts = max(nWarps / nRanks, 1);
    const partLines = (end - first + parts - 1) / parts;
    const line = vec(u32, 4);
    const mine = lsa.localPointer(send, line, 0);
    for (let share = threadIdx.x / warpSize; share < nRanks * parts; share += nWarps) {
      const peer = share % nRanks;
      const from = first + (share / nRanks) * partLines;
      const theirs = lsa.pointer(recv, line, 0, peer);
      for (let i = from + laneId; i < min(from + partLines, end); i += warpSize) {
        theirs[u32(comm.lsaRank) * lines + i] = mine[peer * lines + i]!;
      }
    }
  },
);
