import type { DevCommPlan, GinBarrierHandle } from '@nccl-ts/devcomm';
import type { DevCommHandle } from '@nccl-ts/transport';
import type { NativeMemory } from '../ffi/native-memory.ts';
import { memberOf, structLayout, type NcclLayout } from '../ffi/nccl-layout.ts';
import { nodeTotals, type NativeResource } from './dev-comm-requirements.ts';

/** A device communicator on the ranks of this process, or on a group of them. */
export class CudaDevComm implements DevCommHandle {
  /** The plan, with the locations that NCCL chose. */
  readonly plan: DevCommPlan;
  readonly #structs: ReadonlyMap<number, NativeMemory>;
  readonly #comms: ReadonlyMap<number, number>;
  isOpen: boolean = true;

  /** `comms` has the `ncclComm_t` of each rank with which it was created. */
  constructor(plan: DevCommPlan, structs: ReadonlyMap<number, NativeMemory>, comms: ReadonlyMap<number, number>) {
    this.plan = plan;
    this.#structs = structs;
    this.#comms = comms;
  }

  commOf(rank: number): number {
    const comm = this.#comms.get(rank);
    if (comm === undefined) throw new RangeError(`Rank ${rank} takes no part in this device communicator.`);
    return comm;
  }

  /** Returns the `ncclDevComm` of a rank, which kernels receive by value. */
  at(rank: number): NativeMemory {
    const found = this.#structs.get(rank);
    if (found === undefined) throw new RangeError(`The device communicator has no rank ${rank} in this process.`);
    return found;
  }

  get structs(): Iterable<readonly [number, NativeMemory]> {
    return this.#structs;
  }
}

/**
 * If the plan uses the LSA barriers as hybrid barriers too, as kernels of older versions expect,
 * records that in NCCL's structure.
 */
export function shareLsaBarriers(plan: DevCommPlan, layout: NcclLayout, created: DataView): void {
  const { hybridLsaBarrier, requirements } = plan;
  if (hybridLsaBarrier.nBarriers === 0 || requirements.barrierCount > 0) return;
  const struct = structLayout(layout, 'devComm');
  const from = memberOf(struct, 'lsaBarrier');
  const to = memberOf(struct, 'hybridLsaBarrier');
  for (let i = 0; i < from.bytes; i++) created.setUint8(to.offset + i, created.getUint8(from.offset + i));
}

/**
 * Returns the plan with the handles that NCCL returned. NCCL orders resources in its own way, which
 * differs between versions. The signals of GIN barriers follow those of the list's nodes, which
 * were requested as the communicator's own.
 */
export function planAsCreated(
  plan: DevCommPlan,
  layout: NcclLayout,
  created: DataView,
  native: readonly NativeResource[],
): DevCommPlan {
  const struct = structLayout(layout, 'devComm');
  const handleMember = memberOf(structLayout(layout, 'lsaBarrierHandle'), 'bufHandle');
  const barrier = (name: 'lsaBarrier' | 'hybridLsaBarrier'): DevCommPlan['lsaBarrier'] => {
    const member = struct.members[name];
    if (member === undefined || plan[name].nBarriers === 0) return plan[name];
    const bufHandle = created.getUint32(member.offset + handleMember.offset, true);
    return Object.freeze({ ...plan[name], bufHandle });
  };
  const { signals } = nodeTotals(plan.requirements.resourceRequirementsList);
  const behind = ({ signal0 }: GinBarrierHandle): GinBarrierHandle => Object.freeze({ signal0: signal0 + signals });
  return Object.freeze({
    ...plan,
    lsaBarrier: barrier('lsaBarrier'),
    hybridLsaBarrier: barrier('hybridLsaBarrier'),
    worldGinBarrier: behind(plan.worldGinBarrier),
    railGinBarrier: behind(plan.railGinBarrier),
    hybridWorldGinBarrier: behind(plan.hybridWorldGinBarrier),
    hybridRailGinBarrier: behind(plan.hybridRailGinBarrier),
    resources: Object.freeze(
      plan.resources.map((resource, i) =>
        Object.freeze({
          ...resource,
          bufHandle: native[i]?.bufHandle ?? resource.bufHandle,
          ginSignalStart: native[i]?.ginSignalStart ?? resource.ginSignalStart,
          ginCounterStart: native[i]?.ginCounterStart ?? resource.ginCounterStart,
        }),
      ),
    ),
  });
}
