import type { WebAssemblyMemory, WebAssemblyModule } from '../memory/web-assembly.ts';

/** What a thread of a team is told. */
export type TeamMessage =
  | { readonly kind: 'open'; readonly memory: WebAssemblyMemory; readonly thread: number; readonly spins: number }
  | { readonly kind: 'job'; readonly job: number; readonly module: WebAssemblyModule };

/** A thread beside this one. */
export interface Thread {
  post(message: TeamMessage): void;
  /** Ends it, whatever it does. */
  end(): void;
}

/** The little that Node's and the browsers' workers have in common. */
interface AnyWorker {
  postMessage(message: TeamMessage): void;
  terminate(): unknown;
  unref?(): void;
}

interface NodeThreads {
  readonly Worker: new (text: string, options: { readonly eval: true }) => AnyWorker;
}

// What there is depends on where this runs: any of these may be missing.
declare const process: { getBuiltinModule?(name: 'node:worker_threads'): NodeThreads | undefined } | undefined;
declare const crossOriginIsolated: boolean | undefined;
declare const Worker: (new (url: string) => AnyWorker) | undefined;
declare const Blob: (new (parts: readonly string[], options: { readonly type: string }) => object) | undefined;
declare const URL: { createObjectURL(blob: object): string; revokeObjectURL(url: string): void };

/**
 * Starts a thread that runs `text`. Nobody waits for it: a process ends although its threads go on. `undefined` where there are no
 * threads that could share memory: in a page that is not cross-origin isolated.
 */
export function spawnThread(text: string): Thread | undefined {
  const worker = nodeWorker(text) ?? pageWorker(text);
  if (worker === undefined) return undefined;
  const post = worker.postMessage.bind(worker);
  return {
    post: (message) => post(message),
    end: () => void worker.terminate(),
  };
}

/** Whether this thread may sleep: the main thread of a page may not. */
export function mayWait(): boolean {
  return typeof process !== 'undefined' && process.getBuiltinModule !== undefined;
}

function nodeWorker(text: string): AnyWorker | undefined {
  const threads = typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:worker_threads');
  if (threads === undefined) return undefined;
  const worker = new threads.Worker(text, { eval: true });
  worker.unref?.();
  return worker;
}

function pageWorker(text: string): AnyWorker | undefined {
  // Only such pages have memory that threads share.
  const isIsolated = typeof crossOriginIsolated !== 'undefined' && crossOriginIsolated;
  if (!isIsolated || typeof Worker === 'undefined' || typeof Blob === 'undefined') return undefined;
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const worker = new Worker(url);
  URL.revokeObjectURL(url);
  return worker;
}
