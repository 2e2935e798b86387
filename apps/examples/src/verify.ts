/** An element with a wrong value, and the expected one. */
export interface Mismatch {
  readonly index: number;
  readonly got: number;
  readonly expected: number;
}

/** The allowed error of a number: absolute, or relative to the expected number. */
export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

const exact: Tolerance = { absolute: 0, relative: 0 };

/**
 * The first index at which two arrays differ, or `undefined` if they are equal. A missing element
 * on either side is a difference.
 */
export function firstMismatch(
  got: ArrayLike<number>,
  expected: ArrayLike<number>,
  { absolute, relative }: Tolerance = exact,
): Mismatch | undefined {
  for (let index = 0; index < Math.max(got.length, expected.length); index++) {
    const [a, b] = [got[index] ?? Number.NaN, expected[index] ?? Number.NaN];
    const difference = Math.abs(a - b);
    if (!(difference <= absolute || difference <= relative * Math.abs(b))) return { index, got: a, expected: b };
  }
  return undefined;
}

/**
 * Prints the wrong elements of each rank, and if all of them are right.
 *
 * @param mismatches has the first mismatch of each rank, or `undefined` if there is none.
 */
export function printVerdict(mismatches: readonly (Mismatch | undefined)[], print: (line: string) => void): boolean {
  for (const [rank, mismatch] of mismatches.entries()) {
    if (mismatch === undefined) continue;
    const { index, got, expected } = mismatch;
    print(`  Rank ${rank}: element ${index} is ${got}, but should be ${expected}`);
  }
  const passed = mismatches.every((mismatch) => mismatch === undefined);
  print(`Verification: ${passed ? 'PASSED' : 'FAILED'}`);
  return passed;
}
