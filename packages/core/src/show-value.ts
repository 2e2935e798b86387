const longest = 80;

/**
 * Formats any value for an error message, as one short line. Never throws. The text may change, so
 * programs must not depend on it.
 */
export function showValue(value: unknown): string {
  const text = describe(value);
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}

function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'boolean':
    case 'undefined':
    case 'symbol':
      return String(value);
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `an array of ${value.length}` : describeObject(value);
  }
}

function describeObject(value: object): string {
  try {
    return JSON.stringify(value) ?? 'an object';
  } catch {
    return 'an object';
  }
}
