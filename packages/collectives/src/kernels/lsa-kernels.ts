import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { CollectivePlaces, DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { rankScales } from './rank-scales.ts';
import type { ScaleOf } from './reductions.ts';

interface Places {
  readonly scales: number;
}

/** What each rank of the load-store domain multiplies its values with in a call. */
interface LsaSession {
  readonly scaleOf: (call: DeviceCall, nth: number) => ScaleOf;
}

/**
 * A way to move or reduce elements within a load-store domain: what a CTA does of a call between a barrier of the ranks, behind which
 * all sources are there, and one behind which all has been stored.
 */
export type LsaPart = DeviceFn<(comm: DevComm, call: DeviceCall, scaleOf: ScaleOf) => void>;

const places = /* @__PURE__ */ structParam<Places, Places>({ struct: 'LsaPlaces', fields: { scales: u32 } });

/**
 * The kernels need an LSA barrier for each CTA, and the same grid on every rank. Their barriers order no more than they
 * must; check mode finds all of it clean.
 *
 * - The first barrier acquires. An earlier launch of each rank has stored the sources and is done with the
 *   destinations, and a launch begins and ends with a fence at system scope. So a rank has nothing to release there.
 *   Where sums are scaled, a rank stores its scalar in the same launch, and the barrier releases that as well.
 * - The last barrier releases: what a CTA has stored to peers, and its loads from them, come before whatever a peer
 *   does in its next launch. The fence between launches acquires that. Kernels that store to no peer need the release
 *   too: GPUs of today end a load before a later flag is stored, but the memory model does not promise it.
 *
 * Calls of a group share both barriers. None of them touches what another one stores, so none needs a barrier
 * between.
 */
export function lsaKernels(part: LsaPart, shape: KernelShape): CollectiveKernels {
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
      givenOf: ({ scales }: CollectivePlaces) => ({ scales }),
      open: deviceFn(
        { name: 'betweenBarriers', use: { lsa, rankScales: rankScales(A, scaled), SCALED: scaled } },
        (
          { lsa, rankScales, SCALED, coopCta, blockIdx },
          comm: DevComm,
          { scales }: Places,
          calls: (session: LsaSession) => void,
        ) => {
          const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
          const scalesOf = rankScales(comm, scales);
          // Scalars are there when the ranks have met, which serves as the first barrier.
          if (!SCALED) bar.sync(coopCta(), 'acquire');
          const scaleOf = (call: DeviceCall, nth: number): ScaleOf =>
            scalesOf(nth, call.scale, () => bar.sync(coopCta(), 'acq_rel'));
          calls({ scaleOf });
          bar.sync(coopCta(), 'release');
        },
      ),
    },
    shape,
  );
}
