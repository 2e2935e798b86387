import { mnemonic } from '../instruction-parts.ts';
import type { InstructionLowering } from '../lowering.ts';

/** An instruction that is not translated: `why`, and what to do instead. */
function unsupported(why: string, help: string): InstructionLowering {
  return (instruction, lowering) => {
    lowering.fail('P2001', `cannot translate ${mnemonic(instruction)} because ${why}`, help);
  };
}

/** Copies that end at an mbarrier. */
export const bulk: InstructionLowering = unsupported(
  'bulk copies and memory barriers (mbarrier) are not supported',
  'build the kernel without them: copy by loads and stores or by cp.async, as code for targets before sm_90 does',
);

const matrices: InstructionLowering = unsupported(
  'matrix instructions are not supported',
  'build the kernel without tensor cores, or import a kernel that only communicates',
);

const clusters: InstructionLowering = unsupported(
  'blocks that are launched at run time are not supported',
  'build the kernel without cluster launch control',
);

/** What concerns asynchronous copies, matrices and clusters. */
export const unsupportedInstructions: Readonly<Record<string, InstructionLowering>> = Object.freeze({
  mbarrier: bulk,
  tensormap: bulk,
  mma: matrices,
  wmma: matrices,
  wgmma: matrices,
  tcgen05: matrices,
  ldmatrix: matrices,
  stmatrix: matrices,
  movmatrix: matrices,
  clusterlaunchcontrol: clusters,
});
