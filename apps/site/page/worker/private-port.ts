import type { WorkerMessage, WorkerRequest } from '../protocol.ts';

export type PageMessage = { readonly id: number; readonly request: WorkerRequest };

/** The built-in functions as they are before a program can replace them. */
const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const dataOf = getOwnPropertyDescriptor(MessageEvent.prototype, 'data')?.get;
// oxlint-disable-next-line typescript/unbound-method -- each is applied to its object below
const { postMessage } = MessagePort.prototype;
// oxlint-disable-next-line typescript/unbound-method -- each is applied to its object below
const { preventDefault, stopImmediatePropagation } = Event.prototype;

/**
 * Takes the port over which the page and this worker talk. Afterwards no other message of this
 * worker reaches the page: programs have no port, and the functions that lead around it are gone.
 *
 * @param onMessage called with each message of the page
 * @returns resolves to the function that sends a message to the page
 */
export async function takePort(
  onMessage: (message: PageMessage) => void,
  onUncaught: (error: unknown) => void,
): Promise<(message: WorkerMessage) => void> {
  return new Promise((resolve) => {
    const take = ({ ports: [port] }: MessageEvent): void => {
      if (port === undefined) return;
      globalThis.removeEventListener('message', take);
      closeOtherExits(onUncaught);
      port.onmessage = (event: MessageEvent<PageMessage>) => {
        onMessage(dataOf === undefined ? event.data : (apply(dataOf, event, []) as PageMessage));
      };
      resolve((message) => {
        apply(postMessage, port, [message]);
      });
    };
    globalThis.addEventListener('message', take);
  });
}

/** A worker of this page needs none of these, and each of them could reach another context. */
const exits = [
  'postMessage',
  'onmessage',
  'onerror',
  'reportError',
  'XMLHttpRequest',
  'EventSource',
  'WebSocketStream',
  'WebTransport',
  'Worker',
  'SharedWorker',
  'BroadcastChannel',
  'importScripts',
  'indexedDB',
  'caches',
];

function closeOtherExits(onUncaught: (error: unknown) => void): void {
  for (let owner: object | null = globalThis; owner !== null; owner = getPrototypeOf(owner)) {
    for (const name of exits) deleteProperty(owner, name);
  }
  // The policy refuses requests too, but each refusal would be a message for the page's console.
  const refused = (): never => {
    throw new TypeError('Programs of this page reach no network.');
  };
  defineProperty(globalThis, 'fetch', { value: async () => refused() });
  defineProperty(globalThis, 'WebSocket', { value: refused });
  // An uncaught error would become an event of the page's `Worker`, at any rate.
  for (const name of ['error', 'unhandledrejection']) {
    globalThis.addEventListener(name, (event) => {
      apply(preventDefault, event, []);
      apply(stopImmediatePropagation, event, []);
      onUncaught('reason' in event ? event.reason : 'error' in event ? event.error : undefined);
    });
  }
}
