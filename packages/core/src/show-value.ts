const longest = 80;

/**
 * Any value as an error message shows it: on one line, short, and never throwing. Not for machines:
 * the text may change.
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
