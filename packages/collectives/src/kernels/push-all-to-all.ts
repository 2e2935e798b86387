import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { lsaKernels, type LsaScratch } from './lsa-kernels.ts';
import type { ScaleOf } from './reductions.ts';
import { shareBegin } from './share-begin.ts';

/**
 * The largest number of slices for a rank's elements for itself, and the smallest useful size of a
 * slice in bytes.
 */
const SLICES = 8;
const SLICE_BYTES = 1 << 16;

/**
 * AlltoAll within one load-store domain: each rank stores the `count` elements that `send` has for
 * a peer to its slot in that peer's `recv`. Each rank starts with the next peer, so that the ranks
 * do not all store to the same one. A rank's elements for itself use no link. They are copied in
 * slices, between the slices for a peer, so that other CTAs keep the links busy. `recv` may not
 * overlap `send`.
 *
 * Requires an LSA barrier for each CTA, and the same grid on every rank.
 */
export function pushAllToAll(shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { T, pace } = shape;
  return lsaKernels(
    deviceFn(
      { name: 'pushAllToAll', use: { reduceCopy, shareBegin, T, SLICES, SLICE_BYTES, PACKS: pace.packs } },
      (
        { reduceCopy, shareBegin, T, SLICES, SLICE_BYTES, PACKS, sizeOf, coopCta, blockIdx, gridDim, max, min, u32 },
        comm: DevComm,
        { send, recv, count }: DeviceCall,
        _scaleOf: ScaleOf,
      ) => {
        const nRanks = u32(comm.lsaSize);
        const rank = u32(comm.lsaRank);
        const first = shareBegin(T, count, blockIdx.x, gridDim.x);
        const end = shareBegin(T, count, blockIdx.x + 1, gridDim.x);
        const most = min(u32((end - first) / (SLICE_BYTES / sizeOf(T))) + 1, SLICES);
        const withOwn = 1 + (blockIdx.x % max(nRanks - 1, 1));
        for (let step = nRanks === 1 ? u32(0) : u32(1); step < nRanks; step++) {
          const pieces = step === withOwn ? 2 * most : 1;
          const slices = step === withOwn ? most : 1;
          for (let piece = u32(0); piece < pieces; piece++) {
            const peer = piece % 2 === 1 ? rank : (rank + step) % nRanks;
            const begin = first + shareBegin(T, end - first, piece / 2, slices);
            const length = first + shareBegin(T, end - first, piece / 2 + 1, slices) - begin;
            const from = send.localPtr().offset(count * peer + begin);
            const to = recv.lsaPtr(peer).offset(count * rank + begin);
            reduceCopy.localCopy(coopCta(), from, (_i) => to, 1, length, { unroll: (PACKS * 16) / sizeOf(T) });
          }
        }
      },
    ),
    shape,
  );
}
