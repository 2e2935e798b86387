/** The items in groups of equal keys, in the order of the first of each. */
export function grouped<T>(items: readonly T[], key: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = groups.get(key(item));
    if (own === undefined) groups.set(key(item), [item]);
    else own.push(item);
  }
  return [...groups.values()];
}
