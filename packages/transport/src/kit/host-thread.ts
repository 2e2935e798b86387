/** A host thread that runs a program text and receives `To`. */
export interface HostThread<To> {
  post(message: To): void;
  /** True if the thread keeps the process alive. At first it does not. */
  hold(holds: boolean): void;
  /** Ends the thread, even in the middle of its work. */
  end(): Promise<void>;
}

export interface ThreadListener<From> {
  message(message: From): void;
  /** Called when the thread can no longer be used. */
  broke(why: string): void;
}

interface NodeThread<To, From> {
  postMessage(message: To): void;
  on(event: 'message', listener: (message: From) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'exit', listener: (code: number) => void): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

interface NodeThreads {
  readonly Worker: new <To, From>(
    text: string,
    options: { readonly eval: true; readonly execArgv: readonly string[] },
  ) => NodeThread<To, From>;
}

interface PageThread<To, From> {
  onmessage: ((event: { readonly data: From }) => void) | null;
  onerror: ((event: { readonly message?: string }) => void) | null;
  postMessage(message: To): void;
  terminate(): void;
}

interface NodeSystem {
  availableParallelism(): number;
}

interface NodeModules {
  readonly 'node:worker_threads': NodeThreads;
  readonly 'node:os': NodeSystem;
}

declare const process:
  | { getBuiltinModule?<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined }
  | undefined;
declare const Worker: (new <To, From>(url: string) => PageThread<To, From>) | undefined;
declare const Blob: (new (parts: readonly string[], options: { readonly type: string }) => object) | undefined;

interface ObjectUrls {
  createObjectURL(blob: object): string;
  revokeObjectURL(url: string): void;
}

/** Returns the reason why this host cannot share memory between threads; `undefined` if it can. */
export function lackOfThreads(): string | undefined {
  if (typeof SharedArrayBuffer !== 'function') {
    return 'there is no SharedArrayBuffer: a page has one only if it is cross-origin isolated';
  }
  if (nodeThreads() !== undefined || (typeof Worker === 'function' && typeof Blob === 'function')) return undefined;
  return 'this host has no worker threads';
}

/** True if this thread may block. The main thread of a page may not. */
export function mayBlock(): boolean {
  return nodeThreads() !== undefined;
}

/** Returns the number of threads that run concurrently here; 1 if it is not known. */
export function coreCount(): number {
  const system = typeof process === 'object' ? process.getBuiltinModule?.('node:os') : undefined;
  return system?.availableParallelism() ?? 1;
}

/** Starts a thread that runs `text`. @throws the host's error */
export function spawnThread<To, From>(text: string, listener: ThreadListener<From>): HostThread<To> {
  const threads = nodeThreads();
  return threads === undefined ? pageThread(text, listener) : nodeThread(threads, text, listener);
}

function nodeThreads(): NodeThreads | undefined {
  return typeof process === 'object' ? process.getBuiltinModule?.('node:worker_threads') : undefined;
}

function nodeThread<To, From>(
  { Worker: NodeWorker }: NodeThreads,
  text: string,
  listener: ThreadListener<From>,
): HostThread<To> {
  // The thread does not inherit the process's arguments, such as TypeScript loaders.
  const thread = new NodeWorker<To, From>(text, { eval: true, execArgv: [] });
  thread.unref();
  thread.on('message', (message) => listener.message(message));
  thread.on('error', (error) => listener.broke(error.message));
  thread.on('exit', (code) => listener.broke(`it ended with exit code ${code}`));
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    post: (message) => thread.postMessage(message),
    hold: (holds) => (holds ? thread.ref() : thread.unref()),
    end: async () => {
      await thread.terminate();
    },
  };
}

function pageThread<To, From>(text: string, listener: ThreadListener<From>): HostThread<To> {
  const urls: object = URL;
  if (typeof Worker !== 'function' || typeof Blob !== 'function' || !hasObjectUrls(urls)) {
    throw new TypeError('this host has no worker threads');
  }
  const url = urls.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const thread = new Worker<To, From>(url);
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
