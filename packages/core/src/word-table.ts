/**
 * Returns a table that is looked up by words from outside, such as the instructions of a text. It
 * has no prototype, so it has no entry `constructor` or `toString` of its own accord.
 */
export function wordTable<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const table: Record<string, T> = Object.assign(Object.create(null), entries);
  return Object.freeze(table);
}
