const MOST = 16;

/** Formats a value as a short text, like Node's console. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const all: unknown[] = Array.isArray(value) ? value : value instanceof DataView ? [] : [...elements(value)];
    const shown = all.slice(0, MOST).map(showValue).join(', ');
    const more = all.length > MOST ? `, ... (${all.length} elements)` : '';
    return `[${shown}${more}]`;
  }
  const entries = Object.entries(value).slice(0, MOST);
  return `{ ${entries.map(([name, one]) => `${name}: ${showValue(one)}`).join(', ')} }`;
}

function* elements(view: object): Generator {
  if (Symbol.iterator in view && typeof view[Symbol.iterator] === 'function') yield* view as Iterable<unknown>;
}
