import { resourceLsaPointer, type DevComm, type DevResourceRequirements } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import type { ElementParam } from './collective-kernel.ts';
import type { ScaleOf } from './reductions.ts';

/** Ranks of a load-store domain that may scale: so many scalars are kept in shared memory. */
export const MAX_SCALES = 1024;

/** Bytes from one CTA's scalar to the next. */
const STRIDE = 128;

/** What a device communicator is asked for: a scalar for each CTA. */
export function scaleRequirement(ctas: number): DevResourceRequirements {
  return { bufferSize: ctas * STRIDE, bufferAlign: STRIDE };
}

/**
 * Meets the other ranks by `meet`, a barrier of the CTA that releases and acquires, and says what each rank of the load-store domain
 * multiplies its values with. Where nothing is `scaled` it only meets.
 */
export type RankScales = DeviceFn<
  (coop: Coop, comm: DevComm, scales: number, scale: number, meet: () => void) => ScaleOf
>;

/** For scalars of type `A`. */
export function rankScales(A: ElementParam, scaled: boolean): RankScales {
  return deviceFn(
    { name: 'rankScales', use: { resourceLsaPointer, STRIDE, SCALED: scaled, SCALES: scaled ? MAX_SCALES : 1, A } },
    (
      { resourceLsaPointer, STRIDE, SCALED, SCALES, A, sharedArray, threadIdx, blockIdx, blockDim, u8, u32 },
      coop: Coop,
      comm: DevComm,
      scales: number,
      scale: number,
      meet: () => void,
    ) => {
      const shared = sharedArray(A, SCALES);
      const scaleAt = (rank: number) =>
        resourceLsaPointer(comm, u8, scales, rank)
          .offset(blockIdx.x * STRIDE)
          .cast(A);
      if (SCALED) {
        if (threadIdx.x === 0) scaleAt(comm.lsaRank)[0] = scale;
      }
      meet();
      if (SCALED) {
        for (let rank = threadIdx.x; rank < u32(comm.lsaSize); rank += blockDim.x) shared[rank] = scaleAt(rank).load(0);
        coop.sync();
      }
      return (source: number) => (SCALED ? shared.load(source) : scale);
    },
  );
}
