import { workerText } from './worker-text.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** A thread of the host that runs the text of `worker-text.ts`. */
export interface HostThread {
  post(message: ToWorker): void;
  /** Whether the process lives for as long as the thread does. It does not at first. */
  hold(holds: boolean): void;
  /** Ends it, whatever it does. */
  end(): Promise<void>;
}

export interface ThreadListener {
  message(message: FromWorker): void;
  /** The thread is of no use any more. */
  broke(why: string): void;
}

interface NodeThread {
  postMessage(message: ToWorker): void;
  on(event: 'message', listener: (message: FromWorker) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'exit', listener: (code: number) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface NodeThreads {
  readonly Worker: new (
    text: string,
    options: { readonly eval: true; readonly execArgv: readonly string[] },
  ) => NodeThread;
}

interface PageThread {
  onmessage: ((event: { readonly data: FromWorker }) => void) | null;
  onerror: ((event: { readonly message?: string }) => void) | null;
  postMessage(message: ToWorker): void;
  terminate(): void;
}

declare const process: { getBuiltinModule?(name: 'node:worker_threads'): NodeThreads | undefined } | undefined;
declare const Worker: (new (url: string) => PageThread) | undefined;
declare const Blob: (new (parts: readonly string[], options: { readonly type: string }) => object) | undefined;

interface ObjectUrls {
  createObjectURL(blob: object): string;
  revokeObjectURL(url: string): void;
}

/** Why there can be no threads with the same memory here; `undefined` where there can. */
export function lackOfThreads(): string | undefined {
  if (typeof SharedArrayBuffer !== 'function') {
    return 'there is no SharedArrayBuffer: a page must be cross-origin isolated to have it';
  }
  if (nodeThreads() !== undefined || (typeof Worker === 'function' && typeof Blob === 'function')) return undefined;
  return 'there are no worker threads here';
}

/** Starts a thread. Throws what the host throws. */
export function spawn(listener: ThreadListener): HostThread {
  const threads = nodeThreads();
  return threads === undefined ? pageThread(listener) : nodeThread(threads, listener);
}

function nodeThreads(): NodeThreads | undefined {
  return typeof process === 'object' ? process.getBuiltinModule?.('node:worker_threads') : undefined;
}

function nodeThread({ Worker }: NodeThreads, listener: ThreadListener): HostThread {
  // What the process was started with, as loaders of TypeScript, is not for the thread.
  const thread = new Worker(workerText, { eval: true, execArgv: [] });
  thread.unref();
  thread.on('message', (message) => listener.message(message));
  thread.on('error', (error) => listener.broke(error.message));
  thread.on('exit', (code) => listener.broke(`it ended with code ${code}`));
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    post: (message) => thread.postMessage(message),
    hold: (holds) => (holds ? thread.ref() : thread.unref()),
    end: async () => {
      await thread.terminate();
    },
  };
}

function pageThread(listener: ThreadListener): HostThread {
  const urls: object = URL;
  if (typeof Worker !== 'function' || typeof Blob !== 'function' || !hasObjectUrls(urls)) {
    throw new TypeError('there are no worker threads here');
  }
  const url = urls.createObjectURL(new Blob([workerText], { type: 'text/javascript' }));
  const thread = new Worker(url);
  let isLoaded = false;
  thread.onmessage = ({ data }) => {
    if (!isLoaded) urls.revokeObjectURL(url);
    isLoaded = true;
    listener.message(data);
  };
  thread.onerror = ({ message = 'it cannot be loaded' }) => listener.broke(message);
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    post: (message) => thread.postMessage(message),
    hold: () => {},
    end: async () => thread.terminate(),
  };
}

function hasObjectUrls(value: object): value is ObjectUrls {
  return 'createObjectURL' in value && 'revokeObjectURL' in value;
}
