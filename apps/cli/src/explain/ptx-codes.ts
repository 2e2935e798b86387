import type { PtxDiagnosticCode } from '@nccl-ts/ptx';
import type { Explanation } from './explanation.ts';

/** Pxxxx: of PTX text. */
export const ptxCodes: Readonly<Record<PtxDiagnosticCode, Explanation>> = {
  P1001: {
    title: 'the text is not PTX',
    meaning:
      'The translator reads the output of nvcc, clang, Triton and CuTe. This text does not follow the grammar of PTX.',
    example: 'A .ptx file has no .version, or was cut off.',
    fix: 'Compile again, for example with nvcc -ptx. A binary (.cubin) is not PTX.',
  },
  P1002: {
    title: 'a name is not declared',
    meaning: 'An instruction uses a register, variable or label that the text does not declare.',
    example: 'mov.u32 %r1, %r99; where no .reg has %r99',
    fix: 'Compile again. If you wrote the text yourself, declare the name.',
  },
  P1003: {
    title: 'an instruction has operands or modifiers that it does not support',
    meaning: 'PTX defines the modifiers, types and operands of each instruction. This instruction differs.',
    example: 'add.u32 %r1, %r2; which lacks an operand',
    fix: 'Compare the line with the PTX manual. If a compiler wrote it, report a bug with the line.',
  },
  P1004: {
    title: 'the PTX version or target is not supported',
    meaning: 'The text is for a PTX version or GPU that the translator does not support.',
    example: '.target sm_20',
    fix: 'Compile for a GPU that has what the kernel needs: nvcc -ptx -arch=sm_90.',
  },
  P1005: {
    title: 'a name is declared twice in one scope',
    meaning: 'A scope has two registers, variables or labels with the same name.',
    example: '.reg .u32 %r1; .reg .u32 %r1;',
    fix: 'Compile again. If you wrote the text yourself, choose another name.',
  },
  P2001: {
    title: 'an instruction is not supported',
    meaning:
      'The translator cannot translate this instruction. Textures and matrix instructions of two CTAs are examples.',
    example: 'tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1, %r2}];',
    fix: 'Check only the part of the kernel that communicates: exclude the rest with a macro, and compile without it.',
  },
  P2002: {
    title: 'a modifier of an instruction is not supported',
    meaning: 'The instruction is known, but one of its modifiers is not.',
    example: 'ld.global.L2::cache_hint.u32 ...',
    fix: 'Compile without the option or intrinsic that produces the modifier.',
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
      'Functions are inlined where they are called. This one is not defined in the text, calls itself, or is called through a pointer.',
    example: 'call.uni helper, (...); where helper is .extern',
    fix: 'Compile with all sources in one text (-rdc=false), against the stand-in headers (--stand-in) for NCCL and NVSHMEM. A call map of the harness gives a meaning to other functions.',
  },
  P2005: {
    title: 'a state space is not supported here',
    meaning:
      'GPU memory has state spaces: global, shared, local, constant, parameters. This access is not possible in its space.',
    example: 'st.param to a parameter of the kernel',
    fix: 'Write to global or shared memory.',
  },
  P2006: {
    title: 'the clusters of an entry do not fit its launch',
    meaning:
      'The blocks of a cluster run together and access the shared memory of each other. The size of a cluster comes from __cluster_dims__ or from the launch. Both must agree, and a GPU must be able to run so many blocks together.',
    example: '.reqnctapercluster 2, 1, 1',
    fix: 'Set `cluster` in the harness to the size that the kernel requires, or leave it out if __cluster_dims__ sets it.',
  },
  P2007: {
    title: 'a directive of an entry is not known',
    meaning: 'The directive may change what the kernel does, and nothing is known about it.',
    example: '.entry kernel() .sideways 2',
    fix: 'Compile for an earlier version of PTX.',
  },
  P3002: {
    title: 'a read goes past the end of a parameter',
    meaning: 'The kernel reads bytes past the end of a parameter.',
    example: 'ld.param.u64 %rd1, [kernel_param_0+8]; of a parameter of 8 bytes',
    fix: "Compile again. In a harness, give the argument the kernel's type.",
  },
  P3003: {
    title: 'a value must be known when the kernel is translated',
    meaning: 'The called function takes a constant, and the text computes the value.',
    example: 'A function of the stand-in headers gets an order that is chosen at run time.',
    fix: 'Make it a constant in the source, or a template argument.',
  },
  P4001: {
    title: 'the control flow is not reducible',
    meaning: 'A loop has two entries, so no structured loop can express it.',
    example: 'The source has a goto into a loop, or the compiler merged two loops.',
    fix: 'Compile with less optimisation (nvcc -Xcicc -O1), or write the loops without goto.',
  },
  P4002: {
    title: 'a branch goes to no label of the function',
    meaning: 'The label is missing or belongs to another function.',
    example: 'bra $L__BB0_9; without that label',
    fix: 'Compile again.',
  },
  P4003: {
    title: 'the control flow is too large or nested too deeply',
    meaning: 'The kernel, with the functions that it calls, has more branches or deeper branches than are translated.',
    example: 'A kernel of 100,000 basic blocks, or 3,000 branches inside each other.',
    fix: 'Check a smaller instance of its template, or unroll less.',
  },
  P5001: {
    title: 'a loop polls with weak loads',
    meaning:
      'The loop waits for a word that it loads without a memory order. A compiler may hoist the load and spin forever, and the load orders nothing.',
    example: 'while (*flag == 0) {} on a plain int*',
    fix: 'Load the flag with cuda::atomic_ref and memory_order_acquire, or by ld.acquire.',
  },
  P5002: {
    title: 'the text has no source lines',
    meaning: 'Reports can name lines of the PTX only, not of the .cu file.',
    example: 'nvcc -ptx without -lineinfo',
    fix: 'Compile with -lineinfo.',
  },
};
