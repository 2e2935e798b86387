const MOST = 16;
/** The most characters of one value. */
const CHARACTERS = 2000;
/** The most levels of values within values. */
const LEVELS = 4;

/** Formats a value as a short text, like Node's console. */
export function showValue(value: unknown): string {
  return shown(value, 0);
}

function shown(value: unknown, level: number): string {
  const text = textOf(value, level);
  return text.length <= CHARACTERS ? text : `${text.slice(0, CHARACTERS)} … (${text.length} characters)`;
}

function textOf(value: unknown, level: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, CHARACTERS + 1));
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (level === LEVELS) return '…';
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const all: unknown[] = Array.isArray(value) ? value : value instanceof DataView ? [] : [...elements(value)];
    const text = all
      .slice(0, MOST)
      .map((one) => shown(one, level + 1))
      .join(', ');
    const more = all.length > MOST ? `, ... (${all.length} elements)` : '';
    return `[${text}${more}]`;
  }
  const entries = Object.entries(value).slice(0, MOST);
  return `{ ${entries.map(([name, one]) => `${name}: ${shown(one, level + 1)}`).join(', ')} }`;
}

function* elements(view: object): Generator {
  if (Symbol.iterator in view && typeof view[Symbol.iterator] === 'function') yield* view as Iterable<unknown>;
}
