import { barrier, type BarrierSession } from '@nccl-ts/barrier';
import { symPtr, type DevComm, type SymPtr, type SymPtrArg } from '@nccl-ts/devcomm';
import { gin, type Gin } from '@nccl-ts/gin';
import { deviceFn, structParam, u32 } from '@nccl-ts/kernel';
import type { BufferPointer } from '../buffer.ts';
import type { CollectivePart, DeviceCall } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { railPosition, type RailPosition } from './rail-position.ts';
import { rankScales } from './rank-scales.ts';
import type { ScaleOf } from './reductions.ts';

interface HierarchicalScratchPointers {
  readonly scratch: SymPtr;
  readonly scales: number;
}

/**
 * The memory, besides barriers and the network, through which kernels between domains communicate.
 */
export interface HierarchicalScratch {
  /** The memory for chunks in transit between load-store domains. */
  readonly scratch: BufferPointer;
  /** The location at which ranks exchange their scalars. */
  readonly scales: number;
}

interface HierarchicalScratchArgs {
  readonly scratch: SymPtrArg;
  readonly scales: number;
}

export interface HierarchicalSession {
  readonly net: Gin;
  readonly bar: BarrierSession;
  readonly at: RailPosition;
  /** Returns the factors that the ranks of the load-store domain use in a call. */
  readonly scaleOf: (call: DeviceCall, nth: number) => ScaleOf;
}

/**
 * Moves or reduces elements over several load-store domains, in chunks along the rail. This is a
 * CTA's work for a call between a barrier of all ranks, after which all sources are ready, and one
 * of the domain, after which all results are stored.
 */
export type HierarchicalPart = CollectivePart<HierarchicalSession>;

/**
 * The kernels require a hybrid barrier with a rail connection for each CTA. A CTA needs at least as
 * many threads as there are domains.
 */
export function hierarchicalKernels(
  part: HierarchicalPart,
  shape: KernelShape,
): CollectiveKernels<HierarchicalScratch> {
  const { T, A, scaled, chunkBytes } = shape;
  return collectiveKernels(
    part,
    {
      param: structParam<HierarchicalScratchPointers, HierarchicalScratchArgs>({
        struct: 'HierarchicalPlaces',
        fields: { scratch: symPtr(T), scales: u32 },
      }),
      givenOf: ({ scratch, scales }: HierarchicalScratch) => ({ scratch: scratch.cast(T.scalar), scales }),
      open: deviceFn(
        {
          name: 'betweenDomains',
          use: { barrier, gin, railPosition, rankScales: rankScales(A, scaled), SCALED: scaled, CHUNK: chunkBytes, T },
        },
        (
          { barrier, gin, railPosition, rankScales, SCALED, CHUNK, T, coopCta, blockIdx },
          comm: DevComm,
          { scratch, scales }: HierarchicalScratchPointers,
          calls: (session: HierarchicalSession) => void,
        ) => {
          const net = gin.context(comm, 0);
          const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
          const at = railPosition(comm, T, scratch, CHUNK);
          const scalesOf = rankScales(comm, scales);
          // The scalars are known once the ranks have synchronized, which serves as the first
          // barrier.
          if (!SCALED) bar.sync(coopCta(), 'acq_rel', 'none');
          const scaleOf = (call: DeviceCall, nth: number): ScaleOf =>
            scalesOf(nth, call.scale, () => bar.sync(coopCta(), 'acq_rel', 'none'));
          calls({ net, bar, at, scaleOf });
          bar.lsaBarrier().sync(coopCta(), 'acq_rel');
        },
      ),
    },
    shape,
  );
}
