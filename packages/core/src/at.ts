/**
 * Returns the item of a list at an index that must exist. Use it if 0 has a meaning, so that a
 * missing item is not taken for 0.
 *
 * @throws RangeError that names the index if the list has no such item.
 */
export function at<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`There is no item ${index} in a list of ${items.length}.`);
  return item;
}
