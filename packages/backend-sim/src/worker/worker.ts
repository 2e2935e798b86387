import type { FromWorker, ToWorker } from './messages.ts';
import { startWorker, type WorldPort } from './start-worker.ts';

/** The part of Node's or a browser's API that a thread needs. */
interface NodePort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: ToWorker) => void): void;
}
declare const process:
  | {
      getBuiltinModule?(name: 'node:worker_threads'): {
        readonly parentPort: NodePort | null;
        receiveMessageOnPort(port: NodePort): { readonly message: ToWorker } | undefined;
      };
    }
  | undefined;
declare const self: {
  postMessage(message: FromWorker): void;
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
};

function worldPort(): WorldPort {
  const threads = typeof process === 'object' ? process.getBuiltinModule?.('node:worker_threads') : undefined;
  const parent = threads?.parentPort ?? null;
  if (threads !== undefined && parent !== null) {
    return {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      post: (message) => parent.postMessage(message),
      listen: (receive) => parent.on('message', receive),
      take: () => threads.receiveMessageOnPort(parent)?.message,
    };
  }
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    post: (message) => self.postMessage(message),
    listen: (receive) => {
      self.onmessage = ({ data }) => receive(data);
    },
    take: () => undefined,
  };
}

startWorker(worldPort());
