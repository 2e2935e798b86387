import { resourceLsaPointer, type DevComm, type DevResourceRequirements } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { lsa, type LsaBarrierSession } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { rankScales } from './rank-scales.ts';
import type { ScaleOf } from './reductions.ts';

/** The memory, besides the barriers, through which chunked kernels communicate. */
export interface ChunkScratch {
  /** The location at which ranks store the data that other ranks reduce. */
  readonly chunks: number;
  readonly scales: number;
}

interface ChunkSession {
  readonly bar: LsaBarrierSession;
  readonly chunks: number;
  /** Returns the factors that the ranks of the load-store domain use in a call. */
  readonly scaleOf: (call: DeviceCall, nth: number) => ScaleOf;
}

const scratchParam = /* @__PURE__ */ structParam<ChunkScratch, ChunkScratch>({
  struct: 'ChunkScratch',
  fields: { chunks: u32, scales: u32 },
});

/**
 * The number of chunks in a CTA's scratch memory. Ranks store one chunk while others still load the
 * previous one.
 */
export const CHUNK_SLOTS = 2;

/**
 * Returns the requirement on a device communicator: each slot of a CTA has room for a part from
 * every rank.
 */
export function chunkRequirement(lsaSize: number, ctas: number, partBytes: number): DevResourceRequirements {
  return { bufferSize: ctas * CHUNK_SLOTS * lsaSize * partBytes, bufferAlign: 128 };
}

/**
 * Returns the location at rank `peer` of the part of chunk number `chunk` that rank `from` has
 * stored there for it.
 */
const partAt: DeviceFn<
  (comm: DevComm, chunks: number, partBytes: number, chunk: number, peer: number, from: number) => Ptr
> = deviceFn(
  { name: 'partAt', use: { resourceLsaPointer, CHUNK_SLOTS } },
  (
    { resourceLsaPointer, CHUNK_SLOTS, blockIdx, u8, u32 },
    comm: DevComm,
    chunks: number,
    partBytes: number,
    chunk: number,
    peer: number,
    from: number,
  ) => {
    const slot = blockIdx.x * CHUNK_SLOTS + (chunk % CHUNK_SLOTS);
    return resourceLsaPointer(comm, u8, chunks, peer).offset((slot * u32(comm.lsaSize) + from) * u32(partBytes));
  },
);

/**
 * AllReduce within one load-store domain, chunk by chunk. Every rank reduces one part of each
 * chunk: all ranks store that part into its scratch memory, and it reduces the parts and stores the
 * result to all ranks. No rank loads from a peer, because stores are faster on links that carry
 * both directions. There is one barrier for each chunk. A chunk reuses the slot of the chunk before
 * the previous one, and the barrier in between shows that all loads from it have ended. Each
 * element is computed once, so all ranks get the same bits. `send` may be `recv`.
 *
 * Each CTA has its own chunks. The kernels require an LSA barrier for each CTA, and the same grid
 * on every rank.
 */
export function chunkedAllReduce(shape: KernelShape): CollectiveKernels<ChunkScratch> {
  const { T, A, reduction, scaled, pace, partBytes } = shape;
  return collectiveKernels(
    deviceFn(
      {
        name: 'chunkedAllReduce',
        use: { partAt, reduceCopy, reduction, T, PART: partBytes, RANKS: pace.ranks, PACKS: pace.packs },
      },
      (
        { partAt, reduceCopy, reduction, T, PART, RANKS, PACKS, coopCta, blockIdx, gridDim, min, sizeOf, typeOf, u32 },
        comm: DevComm,
        { bar, chunks, scaleOf }: ChunkSession,
        call: DeviceCall,
        nth: number,
      ) => {
        const { send, recv, count } = call;
        const I = typeOf(count);
        const scale = scaleOf(call, nth);
        const n = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
        const rank = u32(comm.lsaRank);
        const width = 16 / sizeOf(T);
        const turn = I(n) * I(PART / sizeOf(T));
        let chunk = u32(0);

        for (let begin = I(blockIdx.x) * turn; begin < count; begin += I(gridDim.x) * turn) {
          const left = min(count - begin, turn);
          const lines = (left + (I(n) * width - 1)) / (I(n) * width);
          const each = lines * width;
          const firstOf = (part: number): number => min(each * I(part), left);
          const lengthOf = (part: number): number => min(each, left - firstOf(part));

          for (let step = u32(1); step < n; step++) {
            const peer = (rank + step) % n;
            const from = send.localPtr().offset(begin + firstOf(peer));
            const to = partAt(comm, chunks, PART, chunk, peer, rank).cast(T);
            reduceCopy.localCopy(coopCta(), from, (_i) => to, 1, lengthOf(peer), { unroll: (PACKS * 16) / sizeOf(T) });
          }
          bar.sync(coopCta(), 'acq_rel');

          const mine = begin + firstOf(rank);
          const came = (i: number): Ptr =>
            u32(i) === rank ? send.localPtr().offset(mine) : partAt(comm, chunks, PART, chunk, rank, u32(i)).cast(T);
          reduction(coopCta(), T, came, n, (i) => recv.lsaPtr(i).offset(mine), n, lengthOf(rank), n, scale);
          chunk++;
        }
        bar.sync(coopCta(), 'acq_rel');
      },
    ),
    {
      param: scratchParam,
      givenOf: ({ chunks, scales }: ChunkScratch) => ({ chunks, scales }),
      open: deviceFn(
        { name: 'inChunks', use: { lsa, rankScales: rankScales(A, scaled) } },
        (
          { lsa, rankScales, coopCta, blockIdx },
          comm: DevComm,
          { chunks, scales }: ChunkScratch,
          calls: (session: ChunkSession) => void,
        ) => {
          const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
          const scalesOf = rankScales(comm, scales);
          const scaleOf = (call: DeviceCall, nth: number): ScaleOf =>
            scalesOf(nth, call.scale, () => bar.sync(coopCta(), 'acq_rel'));
          calls({ bar, chunks, scaleOf });
        },
      ),
    },
    shape,
  );
}
