import { showValue } from './show-value.ts';

/** The most lines that a program's console shows, and the most characters of each. */
const LINES = 200;
const CHARACTERS = 2000;

let lines: string[] | undefined;

/**
 * Replaces the console of this worker, because each of its messages is work for the page: an
 * endless loop of them would freeze it.
 */
export function replaceConsole(): void {
  for (const name of Object.keys(console)) {
    const isShown = ['log', 'info', 'warn', 'error', 'debug', 'table', 'dir'].includes(name);
    Reflect.set(console, name, isShown ? record : () => {});
  }
}

function record(...values: unknown[]): void {
  if (lines === undefined || lines.length > LINES) return;
  if (lines.length === LINES) {
    lines.push(`The page shows the first ${LINES} lines.`);
    return;
  }
  lines.push(values.map(textOf).join(' ').slice(0, CHARACTERS));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Error ? `${value.name}: ${value.message}` : showValue(value);
}

/** Collects the lines of the program's console until the returned function is called. */
export function captureLog(log: string[]): () => void {
  const before = lines;
  lines = log;
  return () => {
    lines = before;
  };
}
