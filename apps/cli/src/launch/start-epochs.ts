import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { devComm, lsaBarrierBytes, resourceLocalPointer } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';

/**
 * Stores one value in every word of the rank's own LSA barriers: saved epochs, inboxes and arrival
 * counters.
 */
const fillBarriers = kernel(
  { name: 'fillBarriers', use: { resourceLocalPointer }, params: { comm: devComm, words: u32, value: u32 } },
  ({ resourceLocalPointer, threadIdx, blockDim, u32 }, { comm, words, value }) => {
    const all = resourceLocalPointer(comm, u32, comm.lsaBarrier.bufHandle);
    for (let i = threadIdx.x; i < words; i += blockDim.x) all[i] = value;
  },
);

/**
 * Sets the LSA barriers of device communicators to epoch `value`, as if they had been used that
 * often. Every rank must call it. It synchronizes the hosts before anything uses the device
 * communicators.
 */
export async function startEpochs(
  comm: Communicator,
  devComms: readonly DevComm[],
  lsaBarrierCount: number,
  value: number,
): Promise<void> {
  const words = lsaBarrierBytes(comm.lsaSize, lsaBarrierCount) / 4;
  for (const made of devComms) await comm.launch(fillBarriers, { grid: 1, block: 32 }, { comm: made, words, value });
  await comm.synchronize();
}
