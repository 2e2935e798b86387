/** A line on stderr that says for how long something has been running; only where a person looks. */
export interface Progress extends Disposable {
  done(): void;
}

const INTERVAL_MS = 500;

/** Shows `what` and the seconds passed, from the second half-second on, until `done`. */
export function showProgress(what: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { done: () => undefined, [Symbol.dispose]: () => undefined };
  const start = performance.now();
  const timer = setInterval(() => {
    stream.write(`\r\u001b[2K${what} ... ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }, INTERVAL_MS);
  timer.unref();
  const done = (): void => {
    clearInterval(timer);
    stream.write('\r\u001b[2K');
  };
  return { done, [Symbol.dispose]: done };
}
