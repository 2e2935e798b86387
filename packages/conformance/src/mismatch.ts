import { showValue } from '@nccl-ts/core';

type Value = number | bigint | boolean;

/** A backend behaved differently than it must. */
export class Mismatch extends Error {
  override readonly name: string = 'Mismatch';
}

/** The most differences in a message. */
const shown = 4;

/**
 * @param what names the compared values in the message.
 * @throws Mismatch if the two differ in length or values. NaN equals NaN, but zero and minus zero
 * differ.
 */
export function expectValues(what: string, actual: ArrayLike<Value>, expected: ArrayLike<Value>): void {
  compare(what, actual, expected, (a, b) => Object.is(a, b));
}

/**
 * Like `expectValues`, but numbers may have a relative error of up to `relative`.
 *
 * @throws Mismatch
 */
export function expectClose(
  what: string,
  actual: ArrayLike<Value>,
  expected: ArrayLike<Value>,
  relative: number,
): void {
  compare(what, actual, expected, (a, b) => {
    if (Object.is(a, b)) return true;
    return typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= Math.abs(b) * relative;
  });
}

/** @throws Mismatch if they are not the same value. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected))
    throw new Mismatch(`${what} is ${showValue(actual)}; expected ${showValue(expected)}.`);
}

/** @throws Mismatch with `text` if the condition is false. */
export function expectThat(condition: boolean, text: string): void {
  if (!condition) throw new Mismatch(text);
}

function compare(
  what: string,
  actual: ArrayLike<Value>,
  expected: ArrayLike<Value>,
  equal: (a: Value | undefined, b: Value | undefined) => boolean,
): void {
  if (actual.length !== expected.length) {
    throw new Mismatch(`${what} has ${actual.length} elements; expected ${expected.length}.`);
  }
  const differing = Array.from({ length: expected.length }, (_, i) => i).filter((i) => !equal(actual[i], expected[i]));
  if (differing.length === 0) return;
  const lines = differing
    .slice(0, shown)
    .map((i) => `[${i}] is ${showValue(actual[i])}, expected ${showValue(expected[i])}`);
  const more = differing.length > shown ? `, and ${differing.length - shown} more` : '';
  throw new Mismatch(`${what}: ${differing.length} of ${expected.length} differ: ${lines.join('; ')}${more}.`);
}
