import type { WriteStream } from 'node:tty';

/** A line that describes the current work. */
export interface ProgressLine extends Disposable {
  show(what: string): void;
  /** Removes the line, so that others can write. */
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[2K';
const LEAST_MS = 100;

/**
 * Shows the current step on `stream`, at most a few times per second. Shows nothing if it is not a
 * terminal.
 */
export function showProgress(stream: Pick<WriteStream, 'isTTY' | 'write'>): ProgressLine {
  let shown = false;
  let last = 0;
  const clear = (): void => {
    if (shown) stream.write(CLEAR_LINE);
    shown = false;
  };
  return {
    show: (what) => {
      const now = performance.now();
      if (!stream.isTTY || now - last < LEAST_MS) return;
      last = now;
      shown = true;
      stream.write(`${CLEAR_LINE}${what} ...`);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}
