/**
 * The item of a list at an index that must be there: memory models count in numbers, and a missing
 * one must not pass for 0.
 *
 * @throws RangeError that names the index where the list has no item there.
 */
export function at<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`There is no item ${index} in a list of ${items.length}.`);
  return item;
}
