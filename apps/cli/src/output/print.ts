import { colorMark } from './colors.ts';
import { visibleText } from './visible-text.ts';

let writeOut = (text: string): void => {
  process.stdout.write(text);
};

/** Replaces the way to stdout, for the whole process. */
export function printOutBy(write: (text: string) => void): void {
  writeOut = write;
}

/** Prints a report, or a part of one. A terminal interprets only nccl-ts's own colours in it. */
export function printOut(text: string): void {
  writeOut(printable(text));
}

let writeError = (text: string): void => {
  process.stderr.write(text);
};

/** Replaces the way to stderr, for the whole process. */
export function printErrorBy(write: (text: string) => void): void {
  writeError = write;
}

/** Prints output other than the report: errors and notes. */
export function printError(text: string): void {
  writeError(printable(text));
}

/**
 * Converts text for a terminal: nccl-ts's own colours to terminal codes, and all other codes to
 * visible text.
 */
export function printable(text: string): string {
  const [first = '', ...painted] = text.split(colorMark);
  return [visibleText(first), ...painted.map(withColor)].join('');
}

/** The text after a mark starts with the code, such as `[31m`. */
function withColor(text: string): string {
  const end = text.indexOf('m') + 1;
  return `\u001b${text.slice(0, end)}${visibleText(text.slice(end))}`;
}
