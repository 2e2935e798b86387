import type { ScalarKind } from '@nccl-ts/core';
import type { DevCommArg, LLA2AHandle, SymPtrArg } from '@nccl-ts/devcomm';
import type { Kernel, ScalarParam } from '@nccl-ts/kernel';
import type { ElementReduction } from './element-reductions.ts';
import type { Reduction } from './reductions.ts';

/** A scalar of the kernel language, whatever the host passes for it. */
export type ElementParam = ScalarParam<ScalarKind, unknown>;

/** What a kernel is made for beside its types: constants that make it faster on some backends. */
export interface Pace {
  /** Ranks of the load-store domain; 0: any number. */
  readonly ranks: number;
  /** How many times 16 bytes a thread has under way of each source. */
  readonly packs: number;
}

/** What a kernel that moves elements is made for. */
export interface CopyShape {
  /** The type of the elements. Copies keep every bit, so it stands for all types of its size. */
  readonly T: ElementParam;
  /** The type of `count`: it holds every index that the kernel counts to. */
  readonly count: ScalarParam<'u32'> | ScalarParam<'u64', number | bigint>;
  readonly pace: Pace;
}

/** What a kernel that reduces is made for. */
export interface ReduceShape extends CopyShape {
  /** Every rank's elements are multiplied by a scalar of its own. */
  readonly scaled: boolean;
  /** The type that T is reduced in. */
  readonly A: ElementParam;
  readonly reduction: Reduction;
}

/** What a ring is made for. */
export interface RingCopyShape extends CopyShape {
  /** Bytes of one part: those of a slot of the FIFO. */
  readonly slotBytes: number;
}

export interface RingReduceShape extends Omit<ReduceShape, 'scaled'>, RingCopyShape {
  /** The reduction before the last: without what is done to the result alone. */
  readonly partial: Reduction;
}

/** What a kernel is made for whose ranks store what others are to reduce. */
export interface ChunkReduceShape extends ReduceShape {
  /** Bytes of a rank's part of one CTA's chunk. */
  readonly partBytes: number;
}

/** What a kernel that joins single values is made for. */
export interface LLReduceShape extends CopyShape {
  readonly A: ElementParam;
  readonly element: ElementReduction;
}

/** What a kernel for several load-store domains is made for. */
export interface HierarchicalCopyShape extends CopyShape {
  /** Bytes of one chunk in the scratch. */
  readonly chunkBytes: number;
}

export interface HierarchicalReduceShape extends HierarchicalCopyShape {
  readonly scaled: boolean;
  readonly A: ElementParam;
  /** What is done in each domain, which scales. */
  readonly within: Reduction;
  /** What is done with the results of all domains, which divides. */
  readonly across: Reduction;
}

/** What every kernel that moves elements is launched with. */
export interface CopyArgs {
  readonly comm: DevCommArg;
  readonly send: SymPtrArg;
  readonly recv: SymPtrArg;
  /** Elements, as NCCL counts them for the collective. */
  readonly count: number | bigint;
  /** A rank of the LSA team; 0 where the collective has no root. */
  readonly root: number;
}

/** And every kernel that reduces. */
export interface ReduceArgs extends CopyArgs {
  /** What a scaled sum multiplies this rank's elements with. */
  readonly scale: unknown;
}

/** What is launched with a place where ranks tell each other their scalars. */
export interface ScaleArgs {
  readonly scales: number;
}

/** What is launched with scratch for chunks. */
export interface ChunkArgs {
  readonly chunks: number;
}

/** What a ring is launched with beside. */
export interface RingArgs {
  /** Where the FIFO's links are. */
  readonly fifo: number;
}

/** What is launched with slots of an all-to-all session. */
export interface LLArgs {
  readonly slots: LLA2AHandle;
}

export interface ScratchArgs {
  /** Where chunks are kept on their way: `scratchBytes` on each rank. */
  readonly scratch: SymPtrArg;
}

/** What is launched with buffers that hold sentinels. */
export interface SentinelArgs {
  readonly buffers: number;
}

export type CopyKernel = Kernel<CopyArgs>;
export type ReduceKernel = Kernel<ReduceArgs & ScaleArgs>;
export type ChunkReduceKernel = Kernel<ReduceArgs & ScaleArgs & ChunkArgs>;
export type RingCopyKernel = Kernel<CopyArgs & RingArgs>;
export type RingReduceKernel = Kernel<ReduceArgs & RingArgs>;
export type LLReduceKernel = Kernel<CopyArgs & LLArgs>;
export type HierarchicalCopyKernel = Kernel<CopyArgs & ScratchArgs>;
export type HierarchicalReduceKernel = Kernel<ReduceArgs & ScaleArgs & ScratchArgs>;
export type SentinelReduceShape = LLReduceShape;
export type SentinelReduceKernel = Kernel<CopyArgs & SentinelArgs>;
