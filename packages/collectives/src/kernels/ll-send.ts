import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { LLA2ASession } from '@nccl-ts/ll-a2a';
import type { DeviceCall } from './collective-frame.ts';
import { llWords } from './ll-word.ts';

/**
 * A thread's send in an epoch: 8 bytes of elements, starting at element `first`, to every peer of
 * the load-store domain. Ranks send nothing to themselves, so it stores the rank's own word in
 * `own`, which has room for one 8-byte value. All threads of a CTA must take part, even those past
 * the last element, because WebGPU requires the whole CTA to wait.
 *
 * The value of rank r is in the slot that r has among the receiver's peers.
 */
export type LLSend = DeviceFn<
  (
    type: TypeFn,
    comm: DevComm,
    session: LLA2ASession,
    call: DeviceCall,
    first: number,
    nRanks: number,
    own: Ptr,
  ) => void
>;

/** Sends all ranks the same elements. */
export const llSendToAll: LLSend = deviceFn(
  { name: 'llSendToAll', use: { llWords } },
  (
    { llWords, threadIdx, blockDim, u32 },
    T: TypeFn,
    comm: DevComm,
    session: LLA2ASession,
    { send, count }: DeviceCall,
    first: number,
    nRanks: number,
    own: Ptr,
  ) => {
    const rank = u32(comm.lsaRank);
    llWords.load(T, own, send.localPtr(), first, count);
    for (let step = u32(1); step < nRanks; step++) {
      const peer = (rank + step) % nRanks;
      session.send(peer, llWords.peerSlot(rank, peer) * blockDim.x + threadIdx.x, own.load(0));
    }
  },
);

/** Sends each rank its own elements. */
export const llSendToEach: LLSend = deviceFn(
  { name: 'llSendToEach', use: { llWords } },
  (
    { llWords, threadIdx, blockDim, localArray, u32 },
    T: TypeFn,
    comm: DevComm,
    session: LLA2ASession,
    { send, count }: DeviceCall,
    first: number,
    nRanks: number,
    own: Ptr,
  ) => {
    const rank = u32(comm.lsaRank);
    const word = localArray(llWords.type(T), 1);
    for (let step = u32(1); step < nRanks; step++) {
      const peer = (rank + step) % nRanks;
      llWords.load(T, word, send.localPtr().offset(count * peer), first, count);
      session.send(peer, llWords.peerSlot(rank, peer) * blockDim.x + threadIdx.x, word.load(0));
    }
    llWords.load(T, own, send.localPtr().offset(count * rank), first, count);
  },
);
