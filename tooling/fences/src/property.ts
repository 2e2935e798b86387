/** The value at a path of keys in the result of JSON.parse, or `undefined` if there is none. */
export function property(value: unknown, ...keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The text at a path of keys, or `undefined` if there is none. */
export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const found = property(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}
