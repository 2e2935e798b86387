/**
 * Returns a table that is looked up by words from outside, such as the instructions of a text. It
 * has no prototype, so it has no entry `constructor` or `toString` of its own accord.
 */
export function wordTable<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(emptyWordTable<T>(), entries));
}

/** Returns a table without entries and without a prototype, to fill with words from outside. */
export function emptyWordTable<T>(): Record<string, T> {
  // oxlint-disable-next-line no-unsafe-return -- the library declares the result as `any`
  return Object.create(null);
}
