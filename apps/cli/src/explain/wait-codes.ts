import type { KernelDiagnosticCode } from '@nccl-ts/ir';
import type { Explanation } from './explanation.ts';

type WaitCode = Exclude<KernelDiagnosticCode, `K10${string}` | `K11${string}` | `K20${string}`>;

/**
 * K30xx to K90xx: waits and groups, features that a backend does not support, and mistakes that are
 * not the author's.
 */
export const waitCodes: Readonly<Record<WaitCode, Explanation>> = {
  K3002: {
    title: 'some threads leave while a session is alive',
    meaning:
      'A session of a group ends with its block, and all threads of the group end it together. A return or break inside of a branch that only some threads take would end it for these alone.',
    example:
      'A kernel has a barrier session of the CTA, and threads with threadIdx.x > 0 return before its block ends.',
    fix: 'Put only the work into the branch, not the exit. Or put the session in a block of its own, so that it ends first.',
  },
  K3101: {
    title: 'a wait condition has a side effect',
    meaning:
      'A condition is evaluated any number of times until it holds. A store, an atomic read-modify-write or a loop in it would run just as often.',
    example: 'waitUntil(() => q.atomicAdd(0, 1) > 4);',
    fix: 'Load and compare in the condition, and act after the wait.',
    instead: "waitUntil(() => q.load(0, 'acquire') > 4);",
  },
  K3102: {
    title: 'a wait condition assigns a variable',
    meaning:
      'A condition is evaluated any number of times. It may keep loaded values in a local array, and must have no other side effects.',
    example: 'A method of a session waits with waitUntil(() => (self.turns = flags.load(0)) > 0).',
    fix: 'Keep the value in a local array, and assign it after the wait.',
  },
  K3103: {
    title: 'a wait takes a function',
    meaning: 'A condition without a function is evaluated once, before the wait begins.',
    example: 'waitUntil(q[0] > 0);',
    fix: 'Write an arrow function.',
    instead: "waitUntil(() => q.load(0, 'acquire') > 0);",
  },
  K3104: {
    title: 'a tile must have 1, 2, 4, 8, 16 or 32 threads',
    meaning: 'Tiles divide a warp of 32 threads into equal parts.',
    example: 'coopTile(5).sync();',
    fix: 'Use one of these sizes; a constant.',
    instead: 'coopTile(8).sync();',
  },
  K3105: {
    title: 'a warp span must have an id from 0 to 15',
    meaning:
      'The id selects one of the 16 named barriers of a CTA. Spans that exist at the same time need different ids.',
    example: 'coopWarpSpan(0, 2, 16).sync();',
    fix: 'Use an id from 0 to 15.',
    instead: 'coopWarpSpan(0, 2, 1).sync();',
  },
  K3106: {
    title: 'this is not a thread group',
    meaning: 'A group is what coopCta() and its like return, or an object with threadRank, size and sync.',
    example: 'coopAny(n).sync();',
    fix: 'Pass a group.',
    instead: 'coopAny(coopCta()).sync();',
  },
  K3107: {
    title: 'the compiler must know the kind of this group',
    meaning:
      'The compiler must know which threads are in a group that broadcasts or waits. It does not know them for groups that you define.',
    example: 'const coop = { threadRank: () => 0, size: () => 1, sync: () => {} };\nq[0] = coop.bcast(n);',
    fix: 'Use coopCta(), coopWarp(), coopTile(n), coopLanes(mask) or coopWarpSpan(w0, n, id).',
    instead: 'q[0] = coopCta().bcast(n);',
  },
  K3501: {
    title: 'the backend does not support a type',
    meaning: 'Some types are not available on every backend. WebGPU has no f64, for example.',
    example: 'A kernel that uses f64 is launched on WebGPU.',
    fix: 'Use a type that the report lists, or run on another backend.',
  },
  K3502: {
    title: 'threads of a CTA may reach a wait or barrier separately',
    meaning:
      'On this backend all threads of a CTA must reach every barrier and wait together. WebGPU requires this of a workgroup. Here an earlier branch or loop may send threads down different paths.',
    example: 'A kernel waits for a flag inside of if (threadIdx.x === 0) on WebGPU.',
    fix: 'Move the wait out of the branch, or make the condition the same for all threads with coop.bcast.',
  },
  K3503: {
    title: 'the backend cannot synchronize parts of a CTA',
    meaning: 'On this backend, warps, tiles and lanes cannot synchronize or wait on their own.',
    example: 'A kernel calls coopWarp().sync() on WebGPU, and the GPU has no subgroups.',
    fix: 'Use coopCta().',
  },
  K3504: {
    title: 'shared arrays take more memory than a CTA has',
    meaning:
      "All of a kernel's shared arrays must fit in the shared memory of a CTA. Its size depends on the backend and the device.",
    example: 'A kernel has sharedArray(f32, 16384), which is 64 KiB, on a device with 16 KiB.',
    fix: 'Use shorter shared arrays, or do the work in several parts.',
  },
  K3505: {
    title: 'the backend does not support print',
    meaning: 'print needs memory that the host reads. This backend has none.',
    example: 'A kernel that calls print runs on a backend that does not support it.',
    fix: 'Remove print, or run on the simulator.',
  },
  K3506: {
    title: 'the backend lacks a function of the device API',
    meaning:
      'Most functions have a body in the kernel language that runs everywhere. This one is a primitive, so the backend must implement it itself.',
    example: 'A kernel calls gin.put, which needs the network, on WebGPU.',
    fix: 'Use another function, or another backend. The README of each backend says what it supports.',
  },
  K3507: {
    title: 'the backend does not support multimem',
    meaning: 'Multicast addresses need a switch that reduces and copies, or the simulator.',
    example: 'A kernel with multimem.pointer runs on WebGPU.',
    fix: 'Use a separate address for each rank: lsa.pointer.',
  },
  K3508: {
    title: 'the backend cannot convert between numbers and pointers',
    meaning: 'The kernel converts a number to a pointer, or a pointer to a number. Kernels that come from PTX do this.',
    example: "A kernel loads a buffer's address from memory, on WebGPU.",
    fix: 'Pass windows, and reach their bytes by lsa.pointer; or run on the simulator.',
  },
  K3509: {
    title: 'the backend does not support clusters of CTAs',
    meaning:
      'The CTAs of a cluster run together and access the shared memory of each other. Kernels that come from PTX may need that.',
    example: 'A kernel that was built with __cluster_dims__ runs on WebGPU.',
    fix: 'Run it on the simulator.',
  },
  K4001: compilersMistake("an expression's type differs from the type that its operator gives"),
  K4002: compilersMistake('an operand has a type that its operator does not take'),
  K4003: compilersMistake('a local, parameter, array or source is used but not declared'),
  K4004: compilersMistake('a constant is not a value of its type'),
  K4005: compilersMistake('a value is assigned to a local of another type'),
  K4006: compilersMistake('there is a break or continue outside of a loop'),
  K4007: compilersMistake('there is a leave outside of its block'),
  K4008: compilersMistake('two nested blocks have the same label'),
  K4009: compilersMistake('the body of a wait has a side effect'),
  K4010: compilersMistake('a declaration is not valid'),
  K4011: compilersMistake('a node has a shape that the rules do not allow'),
  K4012: compilersMistake('a local that the body of a waitAll sets is read outside of it'),
  K4013: compilersMistake('an access has an order or a scope that it cannot have'),
  K9001: {
    title: 'the generated CUDA C++ does not compile',
    meaning:
      "NVRTC or nvcc rejects the CUDA C++ that was generated for the kernel. The report has the compiler's message and the line of the kernel.",
    example: 'The headers of the installed NCCL lack a function that the kernel calls.',
    fix: 'Run nccl-ts doctor, which lists the versions that it found. If they match, it is a bug in this library: report it with the kernel and the output of nccl-ts emit --target cuda.',
  },
};

/** Validation catches mistakes of passes of the compiler before a backend would. */
function compilersMistake(what: string): Explanation {
  return {
    title: `malformed IR: ${what}`,
    meaning: `The compiler made IR in which ${what}. That is a bug in the compiler, not in the kernel.`,
    fix: 'Report it with the kernel. If you build IR yourself, with @nccl-ts/ir, the report names the node that breaks the rule.',
  };
}
