import { devComm, symPtr, type DevComm, type SymPtr } from '@nccl-ts/devcomm';
import { kernel, u32, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { CopyKernel, CopyShape, ReduceKernel, ReduceShape } from './collective-kernel.ts';
import { rankScales } from './rank-scales.ts';
import type { ScaleOf } from './reductions.ts';

/** What one call of a collective is given, as kernels see it. */
export interface DeviceCall {
  readonly send: SymPtr;
  readonly recv: SymPtr;
  readonly count: number;
  readonly root: number;
}

/**
 * A way to move elements within a load-store domain: what a CTA does of a call between a barrier of the ranks, behind which all
 * sources are there, and one behind which all has been stored. One kernel can do several calls between its two barriers.
 */
export interface CopyForm {
  /** Of the kernel. */
  readonly name: string;
  readonly part: DeviceFn<(comm: DevComm, call: DeviceCall) => void>;
}

/** The same of what reduces. */
export interface ReduceForm {
  readonly name: string;
  readonly part: DeviceFn<(comm: DevComm, call: DeviceCall, scaleOf: ScaleOf) => void>;
}

/** The kernel for one call. Needs an LSA barrier for each CTA, and the same grid on every rank. */
export function copyKernel({ name, part }: CopyForm, { T, count }: CopyShape): CopyKernel {
  return kernel(
    {
      name,
      use: { lsa, part },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    ({ lsa, part, coopCta, blockIdx }, { comm, send, recv, count, root }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      part(comm, { send, recv, count, root });
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

/** The same of what reduces; the first barrier also brings the ranks' scalars, where it is `scaled`. */
export function reduceKernel({ name, part }: ReduceForm, { T, A, count, scaled }: ReduceShape): ReduceKernel {
  return kernel(
    {
      name,
      use: { rankScales: rankScales(A, scaled), lsa, part },
      params: { comm: devComm, send: symPtr(T), recv: symPtr(T), count, root: u32, scale: A, scales: u32 },
    },
    ({ rankScales, lsa, part, coopCta, blockIdx }, { comm, send, recv, count, root, scale, scales }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      const scaleOf = rankScales(coopCta(), comm, scales, scale, () => bar.sync(coopCta(), 'acq_rel'));
      part(comm, { send, recv, count, root }, scaleOf);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}
