import type { ChromeTrace } from './trace-event.ts';

/**
 * Returns the trace as the text of a JSON file, with one event on each line and a line feed at the
 * end. The same trace gives the same text.
 */
export function writeChromeTrace({ displayTimeUnit, traceEvents }: ChromeTrace): string {
  const events = traceEvents.map((event) => JSON.stringify(event)).join(',\n');
  return `{"displayTimeUnit":${JSON.stringify(displayTimeUnit)},"traceEvents":[\n${events}\n]}\n`;
}
