import { mnemonic } from '../instruction-parts.ts';
import type { InstructionLowering } from '../lowering.ts';

/** An unsupported instruction: the reason, and the alternative. */
function unsupported(why: string, help: string): InstructionLowering {
  return (instruction, lowering) => {
    lowering.fail('P2001', `cannot translate ${mnemonic(instruction)} because ${why}`, help);
  };
}

/** Tensor copies. */
export const tensors: InstructionLowering = unsupported(
  'copies of tensors are not supported',
  'copy by cp.async.bulk without a tensor map, by loads and stores, or by cp.async',
);

/** cp.async copies that signal an mbarrier, and bulk copies that reduce. */
export const otherCopies: InstructionLowering = unsupported(
  'copies by cp.async that end at an mbarrier, and bulk copies that reduce, are not supported',
  'copy by cp.async.bulk, by loads and stores, or by cp.async and its groups',
);

const matrices: InstructionLowering = unsupported(
  'matrix instructions are not supported',
  'build the kernel without tensor cores, or import a kernel that only communicates',
);

const clusters: InstructionLowering = unsupported(
  'blocks that are launched at run time are not supported',
  'build the kernel without cluster launch control',
);

/** Unsupported instructions of asynchronous copies, matrices and clusters. */
export const unsupportedInstructions: Readonly<Record<string, InstructionLowering>> = Object.freeze({
  tensormap: tensors,
  mma: matrices,
  wmma: matrices,
  wgmma: matrices,
  tcgen05: matrices,
  clusterlaunchcontrol: clusters,
});
