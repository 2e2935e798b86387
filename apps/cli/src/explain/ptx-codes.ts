import type { PtxDiagnosticCode } from '@nccl-ts/ptx';
import type { Explanation } from './explanation.ts';

/** Pxxxx: of PTX text. */
export const ptxCodes: Readonly<Record<PtxDiagnosticCode, Explanation>> = {
  P1001: {
    title: 'the text is not PTX',
    meaning:
      'The translator reads the output of nvcc, clang, Triton and CuTe. This text does not follow the grammar of PTX.',
    example: 'A .ptx file without .version, or one that was cut off.',
    fix: 'Compile again, for example with nvcc -ptx. A binary (.cubin) is no PTX.',
  },
  P1002: {
    title: 'a name is not declared',
    meaning: 'An instruction uses a register, variable or label that the text does not declare.',
    example: 'mov.u32 %r1, %r99; where no .reg has %r99',
    fix: 'Compile again. In text that you wrote, declare the name.',
  },
  P1003: {
    title: 'an instruction has operands or modifiers that it does not support',
    meaning: 'PTX defines the modifiers, types and operands of each instruction. This one differs.',
    example: 'add.u32 %r1, %r2; which lacks an operand',
    fix: 'Compare the line with the PTX manual. If a compiler wrote it, report a bug with the line.',
  },
  P1004: {
    title: 'the PTX version or target is not supported',
    meaning: 'The text is for a version or a GPU that the translator does not support.',
    example: '.target sm_20',
    fix: 'Compile for a GPU that has what the kernel needs: nvcc -ptx -arch=sm_90.',
  },
  P1005: {
    title: 'a name is declared twice',
    meaning: 'One scope has two registers, variables or labels of one name.',
    example: '.reg .u32 %r1; .reg .u32 %r1;',
    fix: 'Compile again. In text that you wrote, choose another name.',
  },
  P2001: {
    title: 'an instruction is not supported',
    meaning:
      'The translator has no meaning for this instruction. Tensor cores and textures are among those that it lacks.',
    example: 'wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 ...',
    fix: 'Check the part of the kernel that communicates: put the rest behind a macro, and compile without it.',
  },
  P2002: {
    title: 'a modifier of an instruction is not supported',
    meaning: 'The instruction is known, but one of its modifiers is not.',
    example: 'ld.global.L2::cache_hint.u32 ...',
    fix: 'Compile without the option or intrinsic that brings the modifier.',
  },
  P2003: {
    title: 'a type is not supported by an instruction',
    meaning: 'The instruction exists, but not for operands of this type.',
    example: 'atom.global.add.noftz.f16x2 ...',
    fix: 'Use a type of 32 or 64 bits, or check the kernel without this line.',
  },
  P2004: {
    title: 'a call of a function that cannot be inlined',
    meaning:
      'Functions are inlined where they are called. This one is not in the text, calls itself, or is called through a pointer.',
    example: 'call.uni helper, (...); where helper is .extern',
    fix: 'Compile with all sources in one text (-rdc=false), against the stand-in headers (--stand-in) for NCCL and NVSHMEM. A call map of the harness gives a meaning to other functions.',
  },
  P2005: {
    title: 'a state space is not supported here',
    meaning:
      'Memory of a GPU has spaces: global, shared, local, constant, parameters. This access uses a space that it cannot use.',
    example: 'st.param to a parameter of the kernel',
    fix: 'Write to global or shared memory.',
  },
  P3002: {
    title: 'a read of a parameter does not fit its bytes',
    meaning: 'The kernel reads bytes behind the end of a parameter.',
    example: 'ld.param.u64 %rd1, [kernel_param_0+8]; of a parameter of 8 bytes',
    fix: "Compile again. In a harness, use the kernel's type for the argument.",
  },
  P3003: {
    title: 'a value must be known at translation',
    meaning: 'The called function takes a constant, and the text computes the value.',
    example: 'A function of the stand-in headers gets an order that is chosen at run time.',
    fix: 'Make it a constant of the source, or a template argument.',
  },
  P4001: {
    title: 'the control flow is not reducible',
    meaning: 'A loop has two entries, so it is not a loop of a structured language.',
    example: 'A goto into a loop, or the optimised form of two loops.',
    fix: 'Compile with less optimisation (nvcc -Xcicc -O1), or write the loops without goto.',
  },
  P4002: {
    title: 'a branch goes to no label of the function',
    meaning: 'The label is missing or belongs to another function.',
    example: 'bra $L__BB0_9; without that label',
    fix: 'Compile again.',
  },
  P5001: {
    title: 'a loop polls by weak loads',
    meaning:
      'The loop waits for a word that it loads without an order. A compiler may load it only once and spin forever, and the load orders nothing.',
    example: 'while (*flag == 0) {} on a plain int*',
    fix: 'Load the flag with cuda::atomic_ref and memory_order_acquire, or by ld.acquire.',
  },
  P5002: {
    title: 'the text has no lines of its source',
    meaning: 'Reports can only name lines of the PTX and not of the .cu file.',
    example: 'nvcc -ptx without -lineinfo',
    fix: 'Compile with -lineinfo.',
  },
};
