/** `list[index]`; throws a `RangeError` if there is none, which is a bug of the caller. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`There is no element ${index}; there are ${list.length}.`);
  return found;
}
