import { Worker } from 'node:worker_threads';

/** Says on stderr that the process still works, even while its code does not return. */
export interface Heartbeat extends Disposable {
  /** Names the current work in a few words, which must be printable. */
  doing(text: string): void;
  /** Removes its line from a terminal. */
  clear(): void;
  /**
   * Begins work that ends itself after `seconds`. If it does not, some seconds later the process is
   * killed, with an error on stderr.
   */
  limit(seconds: number): void;
}

const CLEAR_LINE = '\r\u001b[2K';

/** Silence on stderr is shorter than this. */
const INTERVAL_MS = 3500;

/** The time in which a check that has reached its limit must have ended. */
const GRACE_MS = 20_000;

/** Starts a heartbeat that names its first work. */
export type StartsHeartbeat = (doing: string) => Heartbeat;

const silent: Heartbeat = {
  doing: () => undefined,
  clear: () => undefined,
  limit: () => undefined,
  [Symbol.dispose]: () => undefined,
};

/** For callers without a process of their own. */
export function noHeartbeat(): Heartbeat {
  return silent;
}

/**
 * Starts a thread that prints the current work every few seconds while nothing else does. A thread
 * is needed because compilers, setups and long runs keep the first one busy.
 */
export function startHeartbeat(doing: string): Heartbeat {
  const worker = startWorker({ doing });
  return heartbeatOf(worker, () => void worker.terminate());
}

/**
 * Starts one thread for all heartbeats of the process, of which there is one at a time. It also
 * kills the process if `parent` is no longer its parent.
 */
export function keptHeartbeat(parent: number): StartsHeartbeat {
  const worker = startWorker({ parent });
  return (doing) => {
    const made = heartbeatOf(worker, () => post(worker, { doing: null }));
    made.doing(doing);
    return made;
  };
}

function startWorker(data: { readonly doing?: string; readonly parent?: number }): Worker {
  const worker = new Worker(code, {
    eval: true,
    workerData: { ...data, isTTY: process.stderr.isTTY, clearLine: CLEAR_LINE },
  });
  // Without threads there is no progress, and the check still runs.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}

function post(worker: Worker, message: HeartbeatMessage): void {
  // oxlint-disable-next-line require-post-message-target-origin -- a worker thread has no origin
  worker.postMessage(message);
}

function heartbeatOf(worker: Worker, ends: () => void): Heartbeat {
  const clear = (): void => {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  };
  return {
    doing: (text) => post(worker, { doing: text }),
    clear,
    limit: (seconds) => post(worker, { limit: 1000 * seconds + GRACE_MS }),
    [Symbol.dispose]: () => {
      ends();
      clear();
    },
  };
}

interface HeartbeatMessage {
  /** `null` ends a heartbeat. */
  readonly doing?: string | null;
  readonly limit?: number;
}

/** It is a text, because a path to a module would depend on how the program was built. */
const code = `
const { parentPort, workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const began = performance.now();
let { doing = null, parent } = workerData;
let spoke = began;
let since = began;
let end = Infinity;
const write = (text) => {
  try { writeSync(2, (workerData.isTTY ? workerData.clearLine : '') + text); } catch {}
};
parentPort.on('message', (message) => {
  if (message.doing === null) end = Infinity;
  else if (message.doing !== undefined && doing === null) spoke = since = performance.now();
  if (message.doing !== undefined) doing = message.doing;
  if (message.limit !== undefined) {
    since = performance.now();
    end = since + message.limit;
  }
});
setInterval(() => {
  // The parent was killed, and nobody waits for the check.
  if (parent !== undefined && process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  if (doing === null) return;
  const time = performance.now();
  if (time > end) {
    write('error: ' + doing + ' did not end at its time limit: a call of the program or of its harness does not return, or one step of the check takes very long; look for an endless loop in the program, or check fewer ranks, CTAs or threads\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  if (time - spoke < ${INTERVAL_MS}) return;
  spoke = time;
  write(doing + ' ... ' + ((time - since) / 1000).toFixed(0) + ' s' + (workerData.isTTY ? '' : '\\n'));
}, 250);
`;
