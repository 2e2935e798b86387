/**
 * Characters that a terminal interprets or hides: control characters other than tabs and line ends,
 * and marks that change the direction of text or have no width. `\u001b` alone can move the cursor,
 * set the window's title or write to the clipboard.
 */
const obeyed =
  // oxlint-disable-next-line no-control-regex -- these are what it is for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/g;

const brokenLines = /[\t\n]/g;

/**
 * Makes foreign text, such as kernel output and file names, safe to show on a terminal. Each such
 * character becomes `\u001b`, as in JSON, where the value stays the same.
 */
export function visibleText(text: string): string {
  return text.replaceAll(obeyed, escaped);
}

/**
 * Does the same for text that must stay on one line, such as a name or a printed line, because a
 * second line could look like a line of the report.
 */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll(brokenLines, (character) => (character === '\n' ? '\\n' : '\\t'));
}

/**
 * Does the same for each string in a value, for a program that shows it. The names of members stay
 * unchanged.
 */
export function visibleValue(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(visibleValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visibleValue(member)]));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
