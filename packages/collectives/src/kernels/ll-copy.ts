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

/** Stores the values from the ranks in rank order. */
function llCopy(name: string, llSend: LLSend, shape: KernelShape): CollectiveKernels<LLScratch> {
  const { T, pace } = shape;
  return llKernels(
    deviceFn(
      { name, use: { llSend, llReceive: llReceive(pace.ranks), llWords, T, RANKS: pace.ranks } },
      (
        {
          llSend,
          llReceive,
          llWords,
          T,
          RANKS,
          coopCta,
          threadIdx,
          blockIdx,
          blockDim,
          gridDim,
          localArray,
          typeOf,
          u32,
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
        const own = localArray(llWords.type(T), 1);
        const words = (count + (width - 1)) / width;

        for (let begin = I(blockIdx.x) * blockDim.x; begin < words; begin += I(gridDim.x) * blockDim.x) {
          const first = (begin + threadIdx.x) * width;
          llSend(T, comm, session, call, first, nRanks, own);
          llReceive(T, session, u32(comm.lsaRank), nRanks, own, (from, word) => {
            llWords.store(T, word, recv.localPtr().offset(count * from), first, count);
          });
          session.endEpoch(coopCta());
        }
      },
    ),
    shape,
  );
}

/**
 * AllGather within one load-store domain for few elements: every rank sends its `count` elements to
 * all peers, 8 bytes at a time, each with a flag, and stores the received elements. This needs no
 * barrier, but sends twice the bytes. `send` may be the rank's part of `recv`, and ranks may use
 * different offsets for both.
 *
 * The session must have a block of slots for each CTA: each thread has an 8-byte slot for each
 * rank.
 */
export function llAllGather(shape: KernelShape): CollectiveKernels<LLScratch> {
  return llCopy('llAllGather', llSendToAll, shape);
}

/**
 * AlltoAll within one load-store domain for few elements: every rank sends each peer the `count`
 * elements that it has for it, 8 bytes at a time, each with a flag, and stores the received
 * elements. This needs no barrier, but sends twice the bytes. `recv` may not overlap `send`; ranks
 * may use different offsets for both.
 *
 * The session must have a block of slots for each CTA: each thread has an 8-byte slot for each
 * rank.
 */
export function llAllToAll(shape: KernelShape): CollectiveKernels<LLScratch> {
  return llCopy('llAllToAll', llSendToEach, shape);
}
