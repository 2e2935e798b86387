/*
 * Items of typed arrays that must exist, with one function for each type. A single function for all
 * types would see many types of lists, which makes such accesses slow in JavaScript engines.
 */

export function f64At(items: Float64Array, index: number): number {
  return items[index] ?? missing(items, index);
}

export function i32At(items: Int32Array, index: number): number {
  return items[index] ?? missing(items, index);
}

export function u32At(items: Uint32Array, index: number): number {
  return items[index] ?? missing(items, index);
}

export function u8At(items: Uint8Array, index: number): number {
  return items[index] ?? missing(items, index);
}

function missing(items: ArrayLike<number>, index: number): never {
  throw new RangeError(`There is no item ${index} in a list of ${items.length}.`);
}

/** Copies the numbers of one array into a longer one. */
export function grown<T extends Float64Array | Int32Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
