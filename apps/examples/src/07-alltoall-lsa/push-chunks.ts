import type { DevComm, Window } from '@nccl-ts/devcomm';
import { deviceFn, u32, vec, type DeviceFn, type ValueParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Stores elements `first` to `end` - 1 of the chunk for each LSA peer into that peer's memory. A
 * chunk has `length` elements. On rank r, chunk p of `send` becomes chunk r of rank p's `recv`.
 *
 * The warps of the CTA divide the peers, so that many links are busy at once. If there are more
 * warps than peers, several share a peer.
 */
type PushChunks = DeviceFn<
  (comm: DevComm, send: Window, recv: Window, length: number, first: number, end: number) => void
>;

/** Lines of 16 bytes, by plain stores. Another synchronization must show that they have arrived. */
export const pushLines: PushChunks = push('pushLines', vec(u32, 4), false);

/** Words of 4 bytes, each of which can be polled separately. */
export const pushWords: PushChunks = push('pushWords', u32, true);

function push(name: string, T: ValueParam, POLLED: boolean): PushChunks {
  return deviceFn(
    { name, use: { lsa, T, POLLED } },
    (
      { lsa, T, POLLED, threadIdx, blockDim, warpSize, laneId, u32, min, max },
      comm: DevComm,
      send: Window,
      recv: Window,
      length: number,
      first: number,
      end: number,
    ) => {
      const nRanks = u32(comm.lsaSize);
      const nWarps = blockDim.x / warpSize;
      const parts = max(nWarps / nRanks, 1);
      const part = (end - first + parts - 1) / parts;
      const mine = lsa.localPointer(send, T, 0);
      for (let share = threadIdx.x / warpSize; share < nRanks * parts; share += nWarps) {
        const peer = share % nRanks;
        const from = first + (share / nRanks) * part;
        const theirs = lsa.pointer(recv, T, 0, peer);
        for (let i = from + laneId; i < min(from + part, end); i += warpSize) {
          const at = u32(comm.lsaRank) * length + i;
          if (POLLED) theirs.store(at, mine[peer * length + i]!, 'relaxed', 'system');
          else theirs[at] = mine[peer * length + i]!;
        }
      }
    },
  );
}
