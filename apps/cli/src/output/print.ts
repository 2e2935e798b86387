import { colorMark } from '../colors.ts';
import { visibleText } from './visible-text.ts';

/** Prints a report, or a part of one. Terminals obey only our own colours in it. */
export function printOut(text: string): void {
  process.stdout.write(printable(text));
}

/** Prints output besides the report: errors, notes. */
export function printError(text: string): void {
  process.stderr.write(printable(text));
}

/** Text for a terminal: our own colours as its codes, all other codes as text. */
export function printable(text: string): string {
  const [first = '', ...painted] = text.split(colorMark);
  return [visibleText(first), ...painted.map(withColor)].join('');
}

/** The text after a mark begins with the code: `[31m`. */
function withColor(text: string): string {
  const end = text.indexOf('m') + 1;
  return `\u001b${text.slice(0, end)}${visibleText(text.slice(end))}`;
}
