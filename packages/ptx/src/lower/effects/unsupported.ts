import { mnemonic } from '../instruction-parts.ts';
import type { InstructionLowering } from '../lowering.ts';

/** An unsupported instruction: a sentence whose subject is the instruction, and the alternative. */
function unsupported(predicate: string, help: string): InstructionLowering {
  return (instruction, lowering) => {
    lowering.fail('P2001', `${mnemonic(instruction)} ${predicate}`, help);
  };
}

const tensorMaps: InstructionLowering = unsupported(
  'changes a tensor map, which is not supported',
  'make a tensor map for each tensor in the harness',
);

const matrices: InstructionLowering = unsupported(
  'is a matrix instruction, which is not supported',
  'build the kernel without tensor cores, or import a kernel that only communicates',
);

const clusters: InstructionLowering = unsupported(
  'launches blocks at run time, which is not supported',
  'build the kernel without cluster launch control',
);

/** Unsupported instructions of tensor maps, matrices and clusters. */
export const unsupportedInstructions: Readonly<Record<string, InstructionLowering>> = Object.freeze({
  tensormap: tensorMaps,
  wmma: matrices,
  clusterlaunchcontrol: clusters,
});
