import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { rankScales } from './rank-scales.ts';
import type { ScaleOf } from './reductions.ts';

/** The memory that kernels between two barriers communicate through, beside the barriers. */
export interface LsaPlaces {
  /** Where ranks tell each other their scalars. */
  readonly scales: number;
}

/** The factors of the load-store domain's ranks in a call. */
interface LsaSession {
  readonly scaleOf: (call: DeviceCall, nth: number) => ScaleOf;
}

/**
 * Moves or reduces elements within a load-store domain. This is a CTA's work for a call between a
 * barrier of the ranks, after which all sources are ready, and one after which all results are
 * stored.
 */
export type LsaPart = DeviceFn<(comm: DevComm, call: DeviceCall, scaleOf: ScaleOf) => void>;

const places = /* @__PURE__ */ structParam<LsaPlaces, LsaPlaces>({ struct: 'LsaPlaces', fields: { scales: u32 } });

/** The kernels need an LSA barrier for each CTA, and the same grid on every rank. */
export function lsaKernels(part: LsaPart, shape: KernelShape): CollectiveKernels<LsaPlaces> {
  const { A, scaled } = shape;
  return collectiveKernels(
    deviceFn(
      { name: part.name, use: { part } },
      ({ part }, comm: DevComm, { scaleOf }: LsaSession, call: DeviceCall, nth: number) => {
        part(comm, call, scaleOf(call, nth));
      },
    ),
    {
      param: places,
      givenOf: ({ scales }: LsaPlaces) => ({ scales }),
      open: deviceFn(
        { name: 'betweenBarriers', use: { lsa, rankScales: rankScales(A, scaled), SCALED: scaled } },
        (
          { lsa, rankScales, SCALED, coopCta, blockIdx },
          comm: DevComm,
          { scales }: LsaPlaces,
          calls: (session: LsaSession) => void,
        ) => {
          const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
          const scalesOf = rankScales(comm, scales);
          // Scalars are there when the ranks have met, which serves as the first barrier.
          if (!SCALED) bar.sync(coopCta(), 'acq_rel');
          const scaleOf = (call: DeviceCall, nth: number): ScaleOf =>
            scalesOf(nth, call.scale, () => bar.sync(coopCta(), 'acq_rel'));
          calls({ scaleOf });
          bar.sync(coopCta(), 'acq_rel');
        },
      ),
    },
    shape,
  );
}
