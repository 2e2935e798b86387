import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { rankScales } from './rank-scales.ts';
import type { ScaleOf } from './reductions.ts';

/** The memory, besides the barriers, through which kernels between two barriers communicate. */
export interface LsaScratch {
  /** The location at which ranks exchange their scalars. */
  readonly scales: number;
}

/** Returns the factors that the ranks of the load-store domain use in a call. */
interface LsaSession {
  readonly scaleOf: (call: DeviceCall, nth: number) => ScaleOf;
}

/**
 * Moves or reduces elements within a load-store domain. This is a CTA's work for a call between a
 * barrier of the ranks, after which all sources are ready, and one after which all results are
 * stored.
 */
export type LsaPart = DeviceFn<(comm: DevComm, call: DeviceCall, scaleOf: ScaleOf) => void>;

const scratchParam = /* @__PURE__ */ structParam<LsaScratch, LsaScratch>({
  struct: 'LsaScratch',
  fields: { scales: u32 },
});

/**
 * The kernels need an LSA barrier for each CTA, and the same grid on every rank. Their barriers
 * order only the necessary accesses:
 *
 * - The first barrier acquires. The sources were stored by an earlier launch of each rank, which no
 *   longer uses the destinations either. A launch begins and ends with a fence at system scope, so
 *   a rank has nothing to release here. In scaled sums a rank stores its scalar in the same launch,
 *   and the barrier releases that as well.
 * - The last barrier releases. Stores of a CTA to peers, and its loads from them, come before all
 *   accesses of a peer's next launch. The fence between launches acquires that. Kernels that store
 *   to no peer need the release too. Today's GPUs complete a load before they store a later flag,
 *   but the memory model does not guarantee it.
 *
 * Calls of a group share both barriers. No call uses data that another one stores, so they need no
 * barrier between them.
 */
export function lsaKernels(part: LsaPart, shape: KernelShape): CollectiveKernels<LsaScratch> {
  const { A, scaled } = shape;
  return collectiveKernels(
    deviceFn(
      { name: part.name, use: { part } },
      ({ part }, comm: DevComm, { scaleOf }: LsaSession, call: DeviceCall, nth: number) => {
        part(comm, call, scaleOf(call, nth));
      },
    ),
    {
      param: scratchParam,
      givenOf: ({ scales }: LsaScratch) => ({ scales }),
      open: deviceFn(
        { name: 'betweenBarriers', use: { lsa, rankScales: rankScales(A, scaled), SCALED: scaled } },
        (
          { lsa, rankScales, SCALED, coopCta, blockIdx },
          comm: DevComm,
          { scales }: LsaScratch,
          calls: (session: LsaSession) => void,
        ) => {
          const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
          const scalesOf = rankScales(comm, scales);
          // The scalars are known once the ranks have synchronized, which serves as the first
          // barrier.
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
