import type { Communicator } from '@nccl-ts/communicator';
import { firstMismatch, type Mismatch } from './verify.ts';

/** Prints a line for each rank, in order of ranks, so that the lines of one step are together. */
export function printRanks(nRanks: number, print: (line: string) => void, line: (rank: number) => string): void {
  for (let rank = 0; rank < nRanks; rank++) print(`  ${line(rank)}`);
}

/** A rank's data. Every element is the rank's number. */
export function ownNumber({ rank }: Communicator, count: number): Float32Array<ArrayBuffer> {
  return new Float32Array(count).fill(rank);
}

/** The sum of the numbers of all ranks. */
export function sumOfRanks(nRanks: number): number {
  return (nRanks * (nRanks - 1)) / 2;
}

/** True if all elements are `expected`. Otherwise the first wrong element. */
export function allAre(got: Float32Array, expected: number): Mismatch | undefined {
  return firstMismatch(got, new Float32Array(got.length).fill(expected));
}

/**
 * Prints the results as NCCL's examples do: the first element of the first rank, and if all are
 * right.
 */
export function printResults(
  results: readonly Float32Array[],
  expected: number,
  print: (line: string) => void,
): boolean {
  print(`Verification - Expected: ${expected.toFixed(1)}, Got: ${results[0]?.[0]?.toFixed(1)}`);
  let right = true;
  for (const [rank, result] of results.entries()) {
    const wrong = allAre(result, expected);
    if (wrong === undefined) continue;
    const { index, got } = wrong;
    print(
      ` Results verification failed at index ${index} of rank ${rank}: Expected ${expected.toFixed(1)}, Got ${got}`,
    );
    right = false;
  }
  print(right ? 'Results verified correctly' : 'Results verification failed');
  return right;
}

/** The size of this many floats, in the units of NCCL's examples. */
export function megabytes(floats: number): number {
  return (floats * 4) / 2 ** 20;
}
