import type { Harness } from '@nccl-ts/harness';

/**
 * A published kernel on two ranks, whose time is predicted and measured. Its PTX is not in this
 * repository; apps/bench/README.md says how it is made.
 */
export interface PublicKernel {
  readonly name: string;
  /** The code base and the kernel in it. */
  readonly source: string;
  /** The bytes of a rank's input, and the largest for which the kernel is meant. */
  readonly sizes: readonly number[];
  /**
   * One call with an input of so many bytes, with the launch that the code base's own host code
   * chooses on an H100 or H200. Each call of a graph has the same arguments.
   */
  readonly harness: (bytes: number) => Harness;
}

/** Streaming multiprocessors of an H100 or H200. */
export const MULTIPROCESSORS = 132;

/** Powers of 4 from 1 KiB to `most`. */
export function sizesUpTo(most: number): readonly number[] {
  const sizes: number[] = [];
  for (let bytes = 1024; bytes <= most; bytes *= 4) sizes.push(bytes);
  return sizes;
}

/** An element of the input of a rank. Sums of it are exact in 16 bits. */
export function inputAt(rank: number, i: number): number {
  return rank + (i % 8);
}

/** The smallest whole number of parts of that size. */
export function partsOf(whole: number, part: number): number {
  return Math.ceil(whole / part);
}
