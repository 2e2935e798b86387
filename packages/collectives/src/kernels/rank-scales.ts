import { resourceLsaPointer, type DevComm, type DevResourceRequirements } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { ElementParam } from './kernel-shape.ts';
import type { ScaleOf } from './reductions.ts';

/**
 * The largest number of ranks of a load-store domain in a scaled sum. Shared memory holds their
 * scalars.
 */
export const MAX_SCALES = 1024;

/**
 * The distance in bytes between the scalars of consecutive CTAs, which have one for each call of a
 * launch.
 */
const STRIDE = 128;

/** Returns the requirement on a device communicator: scalars for each CTA. */
export function scaleRequirement(ctas: number): DevResourceRequirements {
  return { bufferSize: ctas * STRIDE, bufferAlign: STRIDE };
}

/**
 * Synchronizes with the other ranks by `meet`, a barrier of the CTA that releases and acquires.
 * Returns the factors that the ranks of the load-store domain use in call number `nth` of the
 * launch. Without scaling it does not synchronize.
 */
export type ScalesOfCall = (nth: number, scale: number, meet: () => void) => ScaleOf;

/** `A` is the type of the scalars. `scales` is the communicator's memory for them. */
export function rankScales(
  A: ElementParam,
  scaled: boolean,
): DeviceFn<(comm: DevComm, scales: number) => ScalesOfCall> {
  return deviceFn(
    { name: 'rankScales', use: { resourceLsaPointer, STRIDE, SCALED: scaled, SCALES: scaled ? MAX_SCALES : 1, A } },
    (
      { resourceLsaPointer, STRIDE, SCALED, SCALES, A, coopCta, sharedArray, threadIdx, blockIdx, blockDim, u8, u32 },
      comm: DevComm,
      scales: number,
    ) => {
      const shared = sharedArray(A, SCALES);
      const scalesAt = (rank: number) =>
        resourceLsaPointer(comm, u8, scales, rank)
          .offset(blockIdx.x * STRIDE)
          .cast(A);
      return (nth: number, scale: number, meet: () => void): ScaleOf => {
        if (SCALED) {
          if (threadIdx.x === 0) scalesAt(comm.lsaRank)[nth] = scale;
          meet();
          for (let rank = threadIdx.x; rank < u32(comm.lsaSize); rank += blockDim.x) {
            shared[rank] = scalesAt(rank).load(nth);
          }
          coopCta().sync();
        }
        return (source: number) => (SCALED ? shared.load(source) : scale);
      };
    },
  );
}
