/** Returns an object with a value for each key. */
export function recordOf<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Readonly<Record<K, V>> {
  const record: Partial<Record<K, V>> = {};
  for (const key of keys) record[key] = valueOf(key);
  if (hasAll(record, keys)) return record;
  throw new TypeError('A key has no value.');
}

function hasAll<K extends string, V>(record: Partial<Record<K, V>>, keys: readonly K[]): record is Record<K, V> {
  return keys.every((key) => Object.hasOwn(record, key));
}
