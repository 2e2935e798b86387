import type { WriteStream } from 'node:tty';
import { visibleLine } from './visible-text.ts';

/** A line that shows how long something has been running. */
export interface ProgressLine extends Disposable {
  /** Removes the line. */
  done(): void;
}

const INTERVAL_MS = 500;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Shows `what`, which may change, and the elapsed seconds, from half a second until `done`. Shows
 * nothing if `stream` is not a terminal.
 */
export function showProgress(
  what: string | (() => string),
  stream: Pick<WriteStream, 'isTTY' | 'write'>,
): ProgressLine {
  if (!stream.isTTY) return { done: () => undefined, [Symbol.dispose]: () => undefined };
  const start = performance.now();
  let shown = false;
  const timer = setInterval(() => {
    shown = true;
    const text = typeof what === 'string' ? what : what();
    stream.write(`${CLEAR_LINE}${visibleLine(text)} ... ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }, INTERVAL_MS);
  timer.unref();
  const done = (): void => {
    clearInterval(timer);
    if (shown) stream.write(CLEAR_LINE);
    shown = false;
  };
  return { done, [Symbol.dispose]: done };
}
