import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn } from '@nccl-ts/kernel';
import type { LLA2ASession } from '@nccl-ts/ll-a2a';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { llKernels, type LLScratch } from './ll-kernels.ts';
import { llReceive } from './ll-receive.ts';
import { llSendToAll, llSendToEach, type LLSend } from './ll-send.ts';
import { llWords } from './ll-word.ts';

/** Reduces values in rank order, so that every reduction of the same values has the same bits. */
function llReduce(name: string, llSend: LLSend, shape: KernelShape): CollectiveKernels<LLScratch> {
  const { T, A, element, pace } = shape;
  return llKernels(
    deviceFn(
      {
        name,
        use: {
          llSend,
          llReceive: llReceive(pace.ranks),
          llWords,
          element,
          T,
          A,
          RANKS: pace.ranks,
        },
      },
      (
        {
          llSend,
          llReceive,
          llWords,
          element,
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
          lane,
          u32,
          withLane,
        },
        comm: DevComm,
        session: LLA2ASession,
        call: DeviceCall,
        _nth: number,
      ) => {
        const { recv, count } = call;
        const width = llWords.width(T);
        const I = typeOf(count);
        const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
        const output = recv.localPtr();
        const own = localArray(llWords.type(T), 1);
        const total = localArray(A, width);
        const words = (count + (width - 1)) / width;

        for (let begin = I(blockIdx.x) * blockDim.x; begin < words; begin += I(gridDim.x) * blockDim.x) {
          const first = (begin + threadIdx.x) * width;
          llSend(T, comm, session, call, first, nRanks, own);
          llReceive(T, session, u32(comm.lsaRank), nRanks, own, (from, word) => {
            for (const k of unroll(width)) {
              const next = A(width === 1 ? word : lane(word, k));
              if (from === 0) total[k] = next;
              else total[k] = A(element.join(total.load(k), next));
            }
          });
          if (width === 1) llWords.store(T, T(A(element.after(total.load(0), nRanks))), output, first, count);
          else {
            let word = llWords.type(T)(T(0));
            for (const k of unroll(width)) word = withLane(word, k, T(A(element.after(total.load(k), nRanks))));
            llWords.store(T, word, output, first, count);
          }
          session.endEpoch(coopCta());
        }
      },
    ),
    shape,
  );
}

/**
 * AllReduce within one load-store domain for few elements. Every rank sends all of its elements to
 * all peers, 8 bytes at a time, each with a flag, and reduces the received elements, in the order
 * of the ranks. This needs no barrier, but sends twice the bytes. All ranks get the same bits.
 * `send` may be `recv`, and ranks may use different offsets for both.
 *
 * The session must have a block of slots for each CTA: each thread has an 8-byte slot for each
 * rank.
 */
export function llAllReduce(shape: KernelShape): CollectiveKernels<LLScratch> {
  return llReduce('llAllReduce', llSendToAll, shape);
}

/**
 * ReduceScatter within one load-store domain for few elements. Every rank sends each peer the
 * `count` elements that it has for it, 8 bytes at a time, each with a flag, and reduces the
 * received elements, in the order of the ranks. This needs no barrier, but sends twice the bytes.
 * `recv` may be the rank's part of `send`, and ranks may use different offsets for both.
 *
 * The session must have a block of slots for each CTA: each thread has an 8-byte slot for each
 * rank.
 */
export function llReduceScatter(shape: KernelShape): CollectiveKernels<LLScratch> {
  return llReduce('llReduceScatter', llSendToEach, shape);
}
