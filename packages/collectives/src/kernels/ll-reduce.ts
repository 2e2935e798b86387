import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { LLA2ASession } from '@nccl-ts/ll-a2a';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { llKernels, type LLPlaces } from './ll-kernels.ts';
import { llSendToAll, llSendToEach, type LLSend } from './ll-send.ts';
import { llWidth } from './ll-word.ts';

/**
 * Values are reduced in rank order, so that every reduction of the same values has the same bits.
 */
function llReduce(name: string, llSend: LLSend, shape: KernelShape): CollectiveKernels<LLPlaces> {
  const { T, A, element, pace } = shape;
  const { join, after } = element;
  return llKernels(
    deviceFn(
      { name, use: { llSend, llWidth, join, after, T, A, RANKS: pace.ranks } },
      (
        {
          llSend,
          llWidth,
          join,
          after,
          T,
          A,
          RANKS,
          coopCta,
          threadIdx,
          blockIdx,
          blockDim,
          gridDim,
          localArray,
          typeOf,
          unroll,
          vec,
          lane,
          u32,
        },
        comm: DevComm,
        session: LLA2ASession,
        call: DeviceCall,
        _nth: number,
      ) => {
        const { recv, count } = call;
        const width = llWidth(T);
        const V = width === 1 ? T : vec(T, width);
        const I = typeOf(count);
        const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
        const output = recv.localPtr();
        const total = localArray(A, width);
        const words = (count + (width - 1)) / width;
        const take = (rank: number, came: number): void => {
          for (const k of unroll(width)) {
            const next = A(width === 1 ? came : lane(came, k));
            if (rank === 0) total[k] = next;
            else total[k] = A(join(total.load(k), next));
          }
        };

        for (let begin = I(blockIdx.x) * blockDim.x; begin < words; begin += I(gridDim.x) * blockDim.x) {
          const first = (begin + threadIdx.x) * width;
          llSend(T, comm, session, call, first, nRanks);
          if (RANKS === 0) {
            for (let rank = u32(0); rank < nRanks; rank++) {
              take(rank, session.recv(V, rank * blockDim.x + threadIdx.x));
            }
          } else {
            const came = localArray(V, RANKS);
            session.recvUnrolled(RANKS, RANKS, threadIdx.x, RANKS, blockDim.x, came);
            for (const rank of unroll(RANKS)) take(rank, came.load(rank));
          }
          for (const k of unroll(width)) {
            if (first + k < count) output[first + k] = T(A(after(total.load(k), nRanks)));
          }
          session.endEpoch(coopCta());
        }
      },
    ),
    shape,
  );
}

/**
 * AllReduce within one load-store domain for few elements: every rank sends all of its elements to
 * all ranks, 8 bytes at a time with flags beside them, and reduces what it receives, in the order
 * of the ranks. There is no barrier, and twice the bytes are sent. All ranks get the same bits.
 * `send` may be `recv`, and both may have different offsets on different ranks.
 *
 * For kernels whose session has a block of slots for each CTA: one value of 8 bytes from each rank
 * for each thread.
 */
export function llAllReduce(shape: KernelShape): CollectiveKernels<LLPlaces> {
  return llReduce('llAllReduce', llSendToAll, shape);
}

/**
 * ReduceScatter within one load-store domain for few elements: every rank sends each the `count`
 * elements that it has for it, 8 bytes at a time with flags beside them, and reduces what it
 * receives, in the order of the ranks. There is no barrier, and twice the bytes are sent. `recv`
 * may be the rank's part of `send`, and both may have different offsets on different ranks.
 *
 * For kernels whose session has a block of slots for each CTA: one value of 8 bytes from each rank
 * for each thread.
 */
export function llReduceScatter(shape: KernelShape): CollectiveKernels<LLPlaces> {
  return llReduce('llReduceScatter', llSendToEach, shape);
}
