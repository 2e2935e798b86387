import { resourceLocalPointer, resourceLsaPointer, type DevComm, type DevResourceRequirements } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/** Ranks of a load-store domain that may scale: so many scalars are kept in shared memory. */
export const MAX_SCALES = 1024;

/** Bytes from one CTA's scalar to the next. */
const STRIDE = 128;

/** What a device communicator is asked for: a scalar for each CTA. */
export function scaleRequirement(ctas: number): DevResourceRequirements {
  return { bufferSize: ctas * STRIDE, bufferAlign: STRIDE };
}

/** Tells the other ranks the own scalar. A barrier has to follow before they ask for it. */
export const publishScale: DeviceFn<(comm: DevComm, scales: number, scale: number) => void> = deviceFn(
  { name: 'publishScale', use: { resourceLocalPointer, STRIDE } },
  ({ resourceLocalPointer, STRIDE, typeOf, threadIdx, blockIdx, u8 }, comm: DevComm, scales: number, scale: number) => {
    const mine = resourceLocalPointer(comm, u8, scales)
      .offset(blockIdx.x * STRIDE)
      .cast(typeOf(scale));
    if (threadIdx.x === 0) mine[0] = scale;
  },
);

/** Loads the scalars of all ranks of the load-store domain to `into`, for all threads of the CTA. */
export const collectScales: DeviceFn<(coop: Coop, comm: DevComm, scales: number, scale: number, into: Ptr) => void> =
  deviceFn(
    { name: 'collectScales', use: { resourceLsaPointer, STRIDE } },
    (
      { resourceLsaPointer, STRIDE, typeOf, threadIdx, blockIdx, blockDim, u8, u32 },
      coop: Coop,
      comm: DevComm,
      scales: number,
      scale: number,
      into: Ptr,
    ) => {
      for (let rank = threadIdx.x; rank < u32(comm.lsaSize); rank += blockDim.x) {
        const theirs = resourceLsaPointer(comm, u8, scales, rank)
          .offset(blockIdx.x * STRIDE)
          .cast(typeOf(scale));
        into[rank] = theirs.load(0);
      }
      coop.sync();
    },
  );
