import { llA2AHandle, teamLsa, type DevComm, type LLA2AHandle } from '@nccl-ts/devcomm';
import { deviceFn, structParam } from '@nccl-ts/kernel';
import { llA2A, type LLA2ASession } from '@nccl-ts/ll-a2a';
import type { CollectivePart } from './collective-frame.ts';
import { collectiveKernels, type CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';

/** The memory through which kernels with flags communicate. */
export interface LLScratch {
  readonly slots: LLA2AHandle;
}

/** Sends elements with flags, in a session with all ranks of the load-store domain. */
export type LLPart = CollectivePart<LLA2ASession>;

const scratchParam = /* @__PURE__ */ structParam<LLScratch, LLScratch>({
  struct: 'LLScratch',
  fields: { slots: llA2AHandle },
});

/** In these kernels each CTA has a block of slots: each thread has an 8-byte slot for each rank. */
export function llKernels(part: LLPart, shape: KernelShape): CollectiveKernels<LLScratch> {
  return collectiveKernels(
    part,
    {
      param: scratchParam,
      givenOf: (scratch: LLScratch) => scratch,
      open: deviceFn(
        { name: 'withFlags', use: { llA2A, teamLsa, RANKS: shape.pace.ranks } },
        (
          { llA2A, teamLsa, RANKS, coopCta, blockIdx, blockDim, u32 },
          comm: DevComm,
          { slots }: LLScratch,
          calls: (session: LLA2ASession) => void,
        ) => {
          const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
          const session = llA2A.session(coopCta(), comm, teamLsa(comm), slots, blockIdx.x, nRanks * blockDim.x);
          calls(session);
        },
      ),
    },
    shape,
  );
}
