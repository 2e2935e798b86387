import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import type { LLA2ASession } from '@nccl-ts/ll-a2a';
import type { DeviceCall } from './collective-frame.ts';
import { llWidth, loadWord } from './ll-word.ts';

/**
 * A thread's send in an epoch: 8 bytes of elements from `first` on, to every rank of the load-store
 * domain. All threads of a CTA take part, even those past the last element: WebGPU requires all of
 * a CTA to wait.
 */
export type LLSend = DeviceFn<
  (type: TypeFn, comm: DevComm, session: LLA2ASession, call: DeviceCall, first: number, nRanks: number) => void
>;

/** All ranks get the same elements. */
export const llSendToAll: LLSend = deviceFn(
  { name: 'llSendToAll', use: { llWidth, loadWord } },
  (
    { llWidth, loadWord, threadIdx, blockDim, localArray, u32 },
    T: TypeFn,
    comm: DevComm,
    session: LLA2ASession,
    { send, count }: DeviceCall,
    first: number,
    _nRanks: number,
  ) => {
    const width = llWidth(T);
    const word = localArray(T, width);
    loadWord(T, word, send.localPtr(), first, count);
    session.bcast(u32(comm.lsaRank) * blockDim.x + threadIdx.x, word, width);
  },
);

/** Sends each rank the elements for it. */
export const llSendToEach: LLSend = deviceFn(
  { name: 'llSendToEach', use: { llWidth, loadWord } },
  (
    { llWidth, loadWord, threadIdx, blockDim, localArray, u32 },
    T: TypeFn,
    comm: DevComm,
    session: LLA2ASession,
    { send, count }: DeviceCall,
    first: number,
    nRanks: number,
  ) => {
    const width = llWidth(T);
    const word = localArray(T, width);
    for (let step = u32(0); step < nRanks; step++) {
      const peer = (u32(comm.lsaRank) + step) % nRanks;
      loadWord(T, word, send.localPtr().offset(count * peer), first, count);
      session.send(peer, u32(comm.lsaRank) * blockDim.x + threadIdx.x, word, width);
    }
  },
);
