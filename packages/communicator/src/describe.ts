/** Returns `rank 1`, `ranks 0, 1 and 3`. */
export function ranksText(ranks: readonly number[]): string {
  const sorted = [...ranks].sort((a, b) => a - b);
  const last = sorted.pop();
  if (last === undefined) return 'no rank';
  return sorted.length === 0 ? `rank ${last}` : `ranks ${sorted.join(', ')} and ${last}`;
}

/** Formats a value of any type for a message, briefly. */
export function shown(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
    case 'undefined':
    case 'symbol':
      return String(value);
    case 'function':
      return value.name === '' ? 'a function' : `the function ${value.name}`;
    case 'object':
      if (value === null) return 'null';
      try {
        return shownObject(value);
      } catch {
        // For a proxy, or a getter, that throws.
        return 'an object';
      }
  }
}

function shownObject(value: object): string {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `${withArticle(value.constructor.name)} of ${value.byteLength} bytes`;
  const name = value.constructor?.name ?? 'Object';
  return name === 'Object' ? `an object with ${keysText(Object.keys(value))}` : withArticle(name);
}

/** Returns `a Uint8Array`, `an Int8Array`. */
export function withArticle(name: string): string {
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
}

function keysText(keys: readonly string[]): string {
  if (keys.length === 0) return 'no properties';
  const few = keys.slice(0, 6).join(', ');
  return keys.length > 6 ? `${few}, ...` : few;
}

/** Returns a list of allowed values: `a`, `a or b`, `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return 'nothing';
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
}
