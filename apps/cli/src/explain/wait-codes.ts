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
    fix: 'Put only the work into the branch, not the exit, or end the session first: give it its own block.',
  },
  K3101: {
    title: 'a wait condition has an effect',
    meaning:
      'A condition is evaluated any number of times until it holds. A store, an atomic read-modify-write or a loop in it would run that often too.',
    example: 'waitUntil(() => q.atomicAdd(0, 1) > 4);',
    fix: 'Load and compare in the condition, and act after the wait.',
    instead: "waitUntil(() => q.load(0, 'acquire') > 4);",
  },
  K3102: {
    title: 'a wait condition assigns state',
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
    title: 'a tile has 1, 2, 4, 8, 16 or 32 threads',
    meaning: 'Tiles divide a warp of 32 threads into equal parts.',
    example: 'coopTile(5).sync();',
    fix: 'Use one of these sizes; a constant.',
    instead: 'coopTile(8).sync();',
  },
  K3105: {
    title: 'a warp span has an id of 0 to 15',
    meaning: 'The id chooses one of the 16 named barriers of a CTA. Spans that are alive at once have different ids.',
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
    title: 'this needs a group of a kind that the compiler knows',
    meaning:
      'The compiler must know the threads of a group that broadcasts or waits. It does not know those of your own groups.',
    example: 'const coop = { threadRank: () => 0, size: () => 1, sync: () => {} };\nq[0] = coop.bcast(n);',
    fix: 'Use coopCta(), coopWarp(), coopTile(n), coopLanes(mask) or coopWarpSpan(w0, n, id).',
    instead: 'q[0] = coopCta().bcast(n);',
  },
  K3501: {
    title: 'the backend does not have a type',
    meaning: 'Kernels may use types that not every backend has. WebGPU has no f64, for example.',
    example: 'A kernel with f64 is launched on WebGPU.',
    fix: 'Compute in a type that the backend has, as the report names them, or run on another backend.',
  },
  K3502: {
    title: 'threads of a CTA reach a wait or a meeting one by one',
    meaning:
      'On this backend all threads of a CTA must reach every barrier and wait together. WebGPU requires that of workgroups. Here an earlier branch or loop may send threads on different paths.',
    example: 'A kernel waits for a flag inside of if (threadIdx.x === 0) on WebGPU.',
    fix: 'Move the wait out of the branch, or make the condition the same for all threads with coop.bcast.',
  },
  K3503: {
    title: 'the backend has no parts of a CTA',
    meaning: 'Warps, tiles and lanes cannot meet or wait by themselves on this backend.',
    example: 'A kernel calls coopWarp().sync() on WebGPU without subgroups.',
    fix: 'Use coopCta().',
  },
  K3504: {
    title: 'shared arrays take more memory than a CTA has',
    meaning:
      'All shared arrays of a kernel are in the shared memory of a CTA. Its size depends on the backend and the device.',
    example: 'A kernel has sharedArray(f32, 16384), of 64 KiB, on a device with 16 KiB.',
    fix: 'Use shorter shared arrays, or do the work in several parts.',
  },
  K3505: {
    title: 'the backend does not print',
    meaning: 'print needs memory that the host reads. The backend that is meant here has none.',
    example: 'A kernel with print runs on a backend without it.',
    fix: 'Take print out, or run on the simulator.',
  },
  K3506: {
    title: 'the backend lacks a function of the device API',
    meaning:
      'Most functions have a body in the kernel language that runs everywhere. This one is a primitive, which the backend must have itself.',
    example: 'A kernel calls gin.put, which needs the network, on WebGPU.',
    fix: 'Use another function, or another backend. The README of each backend says what it supports.',
  },
  K3507: {
    title: 'the backend has no multimem',
    meaning: 'Multicast addresses need a switch that reduces and copies, or a simulator of one.',
    example: 'A kernel with multimem.pointer runs on WebGPU.',
    fix: 'Use a separate address for each rank: lsa.pointer.',
  },
  K3508: {
    title: 'the backend has no pointers from numbers',
    meaning:
      'The kernel makes a pointer of an address that is a number, or a number of a pointer. Kernels that come from PTX may do so.',
    example: 'A kernel loads the address of a buffer from memory, on WebGPU.',
    fix: 'Pass windows, and reach their bytes by lsa.pointer; or run on the simulator.',
  },
  K4001: compilersMistake("an expression's type differs from the type that its operator gives"),
  K4002: compilersMistake('an operand has a type that its operator does not take'),
  K4003: compilersMistake('a local, parameter, array or source is used that is not declared'),
  K4004: compilersMistake('a constant is not a value of its type'),
  K4005: compilersMistake('a value is assigned to a local of another type'),
  K4006: compilersMistake('there is a break or continue outside of a loop'),
  K4007: compilersMistake('there is a leave outside of its block'),
  K4008: compilersMistake('two blocks inside of one another have one label'),
  K4009: compilersMistake('the body of a wait has an effect'),
  K4010: compilersMistake('a declaration cannot be'),
  K4011: compilersMistake('a node has a shape that the rules do not allow'),
  K4012: compilersMistake('a local that the body of a waitAll sets is read outside of it'),
  K4013: compilersMistake('an access has an order or a scope that it cannot have'),
  K9001: {
    title: 'the CUDA C++ made from a kernel does not compile',
    meaning:
      "NVRTC or nvcc refuses the text that was made of the kernel. The report has the compiler's message and the line of the kernel.",
    example: 'The headers of the installed NCCL lack a function that the kernel calls.',
    fix: 'Run nccl-ts doctor, which lists the versions that it found. If they match, it is a bug of this library: report it with the kernel and the output of nccl-ts emit --target cuda.',
  },
};

/** Validation catches mistakes of passes of the compiler before a backend would. */
function compilersMistake(what: string): Explanation {
  return {
    title: `malformed IR: ${what}`,
    meaning: `The compiler made IR in which ${what}. That is a bug of the compiler and not of the kernel.`,
    fix: 'Report it with the kernel. If you build IR yourself, with @nccl-ts/ir, the report names the node that breaks the rule.',
  };
}
