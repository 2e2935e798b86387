/*
 * Variants of `at`, each for one kind of array only. They run millions of times a second, so the
 * engine must compile them for that kind.
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
