import { devComm, llA2AHandle, symPtr, teamLsa, type DevComm } from '@nccl-ts/devcomm';
import { kernel, u32, type DeviceFn, type Kernel } from '@nccl-ts/kernel';
import { llA2A, type LLA2ASession } from '@nccl-ts/ll-a2a';
import type { DeviceCall } from './collective-form.ts';
import type { CopyArgs, CopyShape, LLArgs } from './collective-kernel.ts';

/**
 * A way to send elements with flags beside them: what a CTA does of a call in a session with all ranks of the load-store domain. Calls
 * may follow each other in one session.
 */
export interface LLForm {
  /** Of the kernel. */
  readonly name: string;
  readonly part: DeviceFn<(comm: DevComm, session: LLA2ASession, call: DeviceCall) => void>;
}

/** The kernel for one call. Each CTA has a block of the slots. */
export function llKernel({ name, part }: LLForm, { T, count, pace }: CopyShape): Kernel<CopyArgs & LLArgs> {
  return kernel(
    {
      name,
      use: { llA2A, part, teamLsa, RANKS: pace.ranks },
      params: { comm: devComm, slots: llA2AHandle, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    ({ llA2A, part, teamLsa, RANKS, coopCta, blockIdx, blockDim, u32 }, { comm, slots, send, recv, count, root }) => {
      const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
      const session = llA2A.session(coopCta(), comm, teamLsa(comm), slots, blockIdx.x, nRanks * blockDim.x);
      part(comm, session, { send, recv, count, root });
    },
  );
}
