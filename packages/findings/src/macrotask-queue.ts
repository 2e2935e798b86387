/** The globals by which a task is queued behind what the event loop has to do. Which of them exist depends on the host. */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const clearImmediate: ((immediate: unknown) => void) | undefined;
declare const MessageChannel: (new () => { readonly port1: Port; readonly port2: Port }) | undefined;

interface Immediate {
  readonly set: (callback: () => void) => unknown;
  readonly clear: (pending: unknown) => void;
}

/** Taken when the module loads, so that tests which replace the timers do not stop what runs kernels. */
const immediate: Immediate | undefined =
  typeof setImmediate === 'function' && typeof clearImmediate === 'function'
    ? { set: setImmediate, clear: clearImmediate }
    : undefined;

/** Lets the event loop have its turn (timers, input, promises of other programs), then calls back. */
export interface MacrotaskQueue {
  /** Calls `callback` in a task of its own. At most one call is outstanding; the process lives until it is made. */
  post(callback: () => void): void;
  /** Forgets the outstanding call. Nothing may be posted afterwards. */
  close(): void;
}

/**
 * The quickest queue that the host has. `setImmediate` comes first where it exists: Node delivers up to a thousand
 * messages of a port before it looks at its timers, and an open port keeps a process alive.
 */
export function createMacrotaskQueue(): MacrotaskQueue {
  if (immediate !== undefined) return immediateQueue(immediate);
  return typeof MessageChannel === 'function' ? channelQueue(new MessageChannel()) : timerQueue();
}

function immediateQueue({ set, clear }: Immediate): MacrotaskQueue {
  let pending: unknown;
  return {
    post: (callback) => {
      pending = set(callback);
    },
    close: () => clear(pending),
  };
}

function channelQueue({ port1, port2 }: { readonly port1: Port; readonly port2: Port }): MacrotaskQueue {
  let pending: (() => void) | undefined;
  port1.onmessage = () => {
    const callback = pending;
    pending = undefined;
    callback?.();
  };
  return {
    post: (callback) => {
      pending = callback;
      port2.postMessage(0);
    },
    close: () => {
      pending = undefined;
      port1.close();
    },
  };
}

function timerQueue(): MacrotaskQueue {
  let pending: unknown;
  return {
    post: (callback) => {
      pending = setTimeout(callback, 0);
    },
    close: () => clearTimeout(pending),
  };
}
