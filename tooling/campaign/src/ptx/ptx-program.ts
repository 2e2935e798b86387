import type { Kind } from '../kinds.ts';
import type { HostStep } from '../program.ts';

/** The lanes of a warp that execute a piece: the first one, the first two, or all. */
export type PieceLanes = 'first' | 'two' | 'warp';

/**
 * A few instructions that stay together. In a line, `$r1`, `$d1`, `$p1` and `$L1` are registers of
 * 32 and 64 bits, predicates and labels of this piece, and `$K` is the address of its next kept
 * value. `M0`, `M1` and `M2` are the windows of the ranks, `MC` is their multicast address, `S` the
 * shared array, and `B` the mbarriers.
 */
export interface PtxPiece {
  readonly lanes: PieceLanes;
  /** The kinds that the text alone does not tell. */
  readonly kinds: readonly Kind[];
  readonly lines: readonly string[];
}

/** Part of a kernel: what one warp does, or a barrier of all threads of each CTA. */
export type PtxPart =
  | {
      readonly kind: 'warp';
      readonly rank: number;
      readonly cta: number;
      /** A warp of 32 lanes, or a thread if blocks are smaller than a warp. */
      readonly warp: number;
      readonly pieces: readonly PtxPiece[];
    }
  | { readonly kind: 'sync' };

export interface PtxKernel {
  readonly parts: readonly PtxPart[];
}

/** A program as PTX text, as a plain value that JSON can hold. */
export interface PtxProgram {
  readonly language: 'ptx';
  readonly ranks: number;
  readonly grid: number;
  /** The threads of a CTA: whole warps, or fewer than 32. */
  readonly block: number;
  /** True if each CTA first clears its shared array. */
  readonly isCleared: boolean;
  readonly kernels: readonly PtxKernel[];
  /** Words of host steps are the first four bytes of the window's lines of 16 bytes. */
  readonly steps: readonly HostStep[];
}

/** The lines of 16 bytes of each window, and of the shared array of each CTA. */
export const LINES = { window: 6, shared: 4 } as const;

/** The values that one thread can keep in one kernel. */
export const KEPT_VALUES = 16;

/** The number of threads that a warp of this block has. */
export function warpThreads(block: number): number {
  return block < 32 ? 1 : 32;
}
