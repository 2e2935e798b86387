import { devComm, llA2AHandle, symPtr, teamLsa, type DevCommArg, type SymPtrArg } from '@nccl-ts/devcomm';
import { kernel, structParam, u32, type Kernel, type StructParam } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import type { CopyForm, DeviceCall, ReduceForm } from './collective-form.ts';
import type { CopyShape, LLArgs, ReduceShape } from './collective-kernel.ts';
import type { LLForm } from './ll-form.ts';

/** Calls of a collective that one launch does, at most. A kernel has the code once for each. */
export const GROUP_WIDTH = 4;

/** What one of the calls is launched with; of 0 elements where there is none. */
export interface CallArg {
  readonly send: SymPtrArg;
  readonly recv: SymPtrArg;
  readonly count: number | bigint;
  readonly root: number;
}

export interface GroupArgs {
  readonly comm: DevCommArg;
  readonly call0: CallArg;
  readonly call1: CallArg;
  readonly call2: CallArg;
  readonly call3: CallArg;
}

/** Does several calls of one collective. */
export type GroupKernel = Kernel<GroupArgs>;
export type LLGroupKernel = Kernel<GroupArgs & LLArgs>;

function callParam({ T, count }: Pick<CopyShape, 'T' | 'count'>): StructParam<DeviceCall, CallArg> {
  return structParam({ struct: 'Call', fields: { send: symPtr(T), recv: symPtr(T), count, root: u32 } });
}

/**
 * Up to `GROUP_WIDTH` calls between two barriers. Nothing orders them among each other, so no call may touch what another one stores.
 *
 * Needs an LSA barrier for each CTA, and the same grid on every rank.
 */
export function copyGroupKernel({ name, part }: CopyForm, shape: CopyShape): GroupKernel {
  const call = callParam(shape);
  return kernel(
    {
      name: `${name}Group`,
      use: { lsa, part },
      params: { comm: devComm, call0: call, call1: call, call2: call, call3: call },
    },
    ({ lsa, part, coopCta, blockIdx }, { comm, call0, call1, call2, call3 }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      if (call0.count > 0) part(comm, call0);
      if (call1.count > 0) part(comm, call1);
      if (call2.count > 0) part(comm, call2);
      if (call3.count > 0) part(comm, call3);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

/** The same of what reduces, without scalars. */
export function reduceGroupKernel({ name, part }: ReduceForm, shape: ReduceShape): GroupKernel {
  const call = callParam(shape);
  return kernel(
    {
      name: `${name}Group`,
      use: { lsa, part, A: shape.A },
      params: { comm: devComm, call0: call, call1: call, call2: call, call3: call },
    },
    ({ lsa, part, A, coopCta, blockIdx }, { comm, call0, call1, call2, call3 }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      const scaleOf = (_source: number) => A(1);
      if (call0.count > 0) part(comm, call0, scaleOf);
      if (call1.count > 0) part(comm, call1, scaleOf);
      if (call2.count > 0) part(comm, call2, scaleOf);
      if (call3.count > 0) part(comm, call3, scaleOf);
      bar.sync(coopCta(), 'acq_rel');
    },
  );
}

/** The same of what goes with flags, one call after the other. Each CTA has a block of the slots. */
export function llGroupKernel({ name, part }: LLForm, shape: CopyShape): LLGroupKernel {
  const call = callParam(shape);
  return kernel(
    {
      name: `${name}Group`,
      use: { llA2A, part, teamLsa, RANKS: shape.pace.ranks },
      params: { comm: devComm, slots: llA2AHandle, call0: call, call1: call, call2: call, call3: call },
    },
    (
      { llA2A, part, teamLsa, RANKS, coopCta, blockIdx, blockDim, u32 },
      { comm, slots, call0, call1, call2, call3 },
    ) => {
      const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
      const session = llA2A.session(coopCta(), comm, teamLsa(comm), slots, blockIdx.x, nRanks * blockDim.x);
      if (call0.count > 0) part(comm, session, call0);
      if (call1.count > 0) part(comm, session, call1);
      if (call2.count > 0) part(comm, session, call2);
      if (call3.count > 0) part(comm, session, call3);
    },
  );
}
