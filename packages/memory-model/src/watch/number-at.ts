/*
 * The same as `at`, each for one kind of array alone: what is read millions of times a second must
 * be compiled for that kind.
 */

/**
 * The number at `index`, which must exist.
 *
 * @throws RangeError that names the index if the array has none.
 */
export function numberAt(items: Uint32Array, index: number): number {
  const item = items[index];
  if (item === undefined) throw missing(index, items.length);
  return item;
}

/** The same for bytes. */
export function byteAt(items: Uint8Array, index: number): number {
  const item = items[index];
  if (item === undefined) throw missing(index, items.length);
  return item;
}

function missing(index: number, length: number): RangeError {
  return new RangeError(`There is no number ${index} in an array of ${length}.`);
}
