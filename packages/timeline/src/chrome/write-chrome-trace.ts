import type { ChromeTrace } from './trace-event.ts';

/**
 * The trace as the text of a JSON file, one event a line, with a line feed at its end. The same
 * trace gives the same text.
 */
export function writeChromeTrace({ displayTimeUnit, traceEvents }: ChromeTrace): string {
  const events = traceEvents.map((event) => JSON.stringify(event)).join(',\n');
  return `{"displayTimeUnit":${JSON.stringify(displayTimeUnit)},"traceEvents":[\n${events}\n]}\n`;
}
