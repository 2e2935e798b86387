import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The number of pixels of an image: 28 x 28. */
export const PIXELS = 784;
export const CLASSES = 10;

/** A handwritten digit. */
export interface Digit {
  /** The pixels, from 0 (paper) to 1 (ink), row by row. */
  readonly pixels: Float32Array;
  /** The digit, from 0 to 9. */
  readonly label: number;
}

export interface DigitSets {
  readonly training: readonly Digit[];
  readonly test: readonly Digit[];
}

/**
 * Reads MNIST digits from the `mnist` package, the same ones in the same order every time. The
 * first `training` digits of each class go to one set and the next `test` to the other, with
 * alternating classes.
 */
export function loadDigits({ training, test }: { readonly training: number; readonly test: number }): DigitSets {
  const classes = Array.from({ length: CLASSES }, (_, label) => readClass(label, training + test));
  const takeTurns = (first: number, end: number): readonly Digit[] =>
    Array.from({ length: end - first }, (_, i) =>
      classes.flatMap((digits) => digits.slice(first + i, first + i + 1)),
    ).flat();
  return { training: takeTurns(0, training), test: takeTurns(training, training + test) };
}

/**
 * The package has a file for each class: `{ "data": [...] }`, the pixels of all images one after
 * the other.
 */
function readClass(label: number, count: number): readonly Digit[] {
  const require = createRequire(import.meta.url);
  const file: unknown = require(join(dirname(require.resolve('mnist/package.json')), `src/digits/${label}.json`));
  const data = Float32Array.from(hasData(file) ? file.data.slice(0, count * PIXELS) : []);
  if (data.length < count * PIXELS) {
    throw new Error(`the mnist package has fewer than ${count} images of the digit ${label}`);
  }
  return Array.from({ length: count }, (_, i) => ({ pixels: data.subarray(i * PIXELS, (i + 1) * PIXELS), label }));
}

function hasData(file: unknown): file is { readonly data: readonly number[] } {
  return typeof file === 'object' && file !== null && 'data' in file && Array.isArray(file.data);
}
