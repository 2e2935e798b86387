import type { DevComm, MultimemHandle, Window } from '@nccl-ts/devcomm';
import type { Ptr, TypeFn } from '@nccl-ts/kernel';
import type { MultimemOp } from './formats.ts';

/** The members of `multimem` in a kernel. */
export interface Multimem {
  /**
   * The multicast address of byte `offset` of the window, over the team that `handle` names, as
   * elements of type T. Only `multimem.loadReduce`, `store` and `reduce` may use it. A plain access
   * is a fault on the simulator and undefined on GPUs. The caller must be in the team.
   *
   * @returns null for a null handle.
   * @see ncclGetMultimemPointer
   */
  readonly pointer: (win: Window, type: TypeFn, offset: number, handle: MultimemHandle) => Ptr;
  /**
   * The multicast address over the LSA team.
   *
   * @returns null if the device communicator has no `lsaMultimem`.
   * @see ncclGetLsaMultimemPointer
   */
  readonly lsaPointer: (win: Window, type: TypeFn, offset: number, comm: DevComm) => Ptr;
  /**
   * Combines the values of all copies behind the multicast pointer `p` by `op` (`'add'` by
   * default). Returns one value for each element of a vector. f16 and bf16 are added in f32, e4m3
   * and e5m2 in f16, and the sum is rounded once. The order is unspecified. The access is relaxed,
   * at system scope. Use a barrier before it, so that all ranks have written.
   *
   * Types and operations outside `multimemFormats` are refused when the kernel is compiled.
   *
   * @see multimem.ld_reduce in the PTX ISA
   */
  readonly loadReduce: (p: Ptr, op?: MultimemOp) => number;
  /**
   * Stores `v` to every copy behind the multicast pointer `p`, including the calling rank's. `v` is
   * converted to the element type of `p`, like an argument. The store is relaxed, at system scope.
   * Each element of a vector is a separate store. Other accesses to the same bytes use other
   * addresses, so order them with `fenceProxy('alias')`.
   *
   * Types outside `multimemFormats` are refused when the kernel is compiled.
   *
   * @see multimem.st in the PTX ISA
   */
  readonly store: (p: Ptr, v: number) => void;
  /**
   * Combines `v` by `op` (`'add'` by default) into every copy behind the multicast pointer `p`,
   * including the calling rank's. Returns nothing. It atomically updates each element of each copy,
   * relaxed, at system scope. The copies are updated in no particular order, so a concurrent reader
   * of two copies may find only one of them updated.
   *
   * Types and operations outside `multimemFormats` are refused when the kernel is compiled.
   *
   * @see multimem.red in the PTX ISA
   */
  readonly reduce: (p: Ptr, v: number, op?: MultimemOp) => void;
}
