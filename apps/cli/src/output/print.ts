import { colorMark } from '../colors.ts';
import { visibleText } from './visible-text.ts';

/** Prints a report, or a part of one. Nothing in it but our own colours is obeyed by a terminal. */
export function printOut(text: string): void {
  process.stdout.write(printable(text));
}

/** Prints what is not the report: errors, notes. */
export function printError(text: string): void {
  process.stderr.write(printable(text));
}

/** Text as a terminal gets it: our own colours as its codes, all other codes as text. */
export function printable(text: string): string {
  const [first = '', ...painted] = text.split(colorMark);
  return [visibleText(first), ...painted.map(withColor)].join('');
}

/** What follows a mark begins with the code: `[31m`. */
function withColor(text: string): string {
  const end = text.indexOf('m') + 1;
  return `\u001b${text.slice(0, end)}${visibleText(text.slice(end))}`;
}
