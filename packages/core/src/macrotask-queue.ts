/**
 * The globals that can queue a task after the current work of the event loop. Each may be missing,
 * depending on the host.
 */
interface Port {
  onmessage: (() => void) | null;
  postMessage(message: unknown): void;
  close(): void;
  /** Node: decides if the port keeps the process alive. */
  ref?(): void;
  unref?(): void;
}
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const clearImmediate: ((immediate: unknown) => void) | undefined;
declare const setTimeout: (callback: () => void, milliseconds: number) => unknown;
declare const clearTimeout: (pending: unknown) => void;
declare const MessageChannel: (new () => { readonly port1: Port; readonly port2: Port }) | undefined;

interface Timers {
  readonly set: (callback: () => void, milliseconds: number) => unknown;
  readonly clear: (pending: unknown) => void;
}

// The globals are read when the module loads, so that tests that replace the timers later do not
// stop running kernels.

const immediate: Timers | undefined =
  typeof setImmediate === 'function' && typeof clearImmediate === 'function'
    ? timersOf(setImmediate, clearImmediate)
    : undefined;

const timeout: Timers = timersOf(setTimeout, clearTimeout);

/** Browsers throw if their timers are called as methods of another object. */
function timersOf(set: Timers['set'], clear: Timers['clear']): Timers {
  return {
    set: (callback, milliseconds) => set(callback, milliseconds),
    clear: (pending) => clear(pending),
  };
}

/**
 * The fake timers of sinon, which vitest and jest use, have a `clock`. They call back when the test
 * advances it.
 */
const isTimeoutFake = 'clock' in setTimeout;

/**
 * True if `immediate` calls back by itself. Timers that a test has replaced before the module was
 * loaded do not. `undefined` until it is known.
 */
let isImmediateReal: boolean | undefined;

/**
 * Node delivers up to a thousand messages before it makes the immediate calls. If more arrive
 * first, the immediate calls are not real.
 */
const MESSAGES = 2500;

/** Lets the event loop run (timers, input, promises of other programs), then calls back. */
export interface MacrotaskQueue {
  /**
   * Calls `callback` in a separate task. At most one call is outstanding, and the process stays
   * alive until then.
   */
  post(callback: () => void): void;
  /**
   * Like `post`, after a number of milliseconds. Without delay if a test has replaced the timers.
   */
  postLater(callback: () => void, milliseconds: number): void;
  /** Drops the outstanding call. Do not post afterwards. */
  close(): void;
}

type Posts = Omit<MacrotaskQueue, 'postLater'>;

/**
 * Returns the fastest queue of the host. It prefers `setImmediate`, because Node delivers up to a
 * thousand messages of a port before it runs its timers.
 *
 * The queue also works with timers that a test framework has replaced, before or after this module
 * was loaded.
 */
export function createMacrotaskQueue(): MacrotaskQueue {
  const queue = createPosts();
  let later: unknown;
  return {
    post: (callback) => queue.post(callback),
    postLater: (callback, milliseconds) => {
      if (isTimeoutFake) queue.post(callback);
      else later = timeout.set(callback, milliseconds);
    },
    close: () => {
      timeout.clear(later);
      queue.close();
    },
  };
}

function createPosts(): Posts {
  if (typeof MessageChannel !== 'function') return timerQueue(immediate ?? timeout);
  return immediate === undefined ? channelQueue(new MessageChannel()) : triedQueue(immediate, MessageChannel);
}

function timerQueue({ set, clear }: Timers): Posts {
  let pending: unknown;
  return {
    post: (callback) => {
      pending = set(callback, 0);
    },
    close: () => clear(pending),
  };
}

function channelQueue({ port1, port2 }: { readonly port1: Port; readonly port2: Port }): Posts {
  let pending: (() => void) | undefined;
  port1.onmessage = () => {
    const callback = pending;
    pending = undefined;
    port1.unref?.();
    callback?.();
  };
  port1.unref?.();
  return {
    post: (callback) => {
      pending = callback;
      port1.ref?.();
      port2.postMessage(0);
    },
    close: () => {
      pending = undefined;
      port1.close();
    },
  };
}

/**
 * The first call of the process uses both mechanisms. The one that calls back first shows if the
 * immediate calls are real.
 */
function triedQueue(own: Timers, Channel: NonNullable<typeof MessageChannel>): Posts {
  let queue: Posts | undefined;
  let trial: QueueTrial | undefined;
  return {
    post: (callback) => {
      if (queue === undefined && isImmediateReal !== undefined) {
        queue = isImmediateReal ? timerQueue(own) : channelQueue(new Channel());
      }
      if (queue !== undefined) queue.post(callback);
      else {
        trial = startTrial(own, channelQueue(new Channel()), () => {
          trial = undefined;
          callback();
        });
      }
    },
    close: () => {
      trial?.end();
      queue?.close();
    },
  };
}

interface QueueTrial {
  /** Forgets the result. */
  end(): void;
}

/** Calls `done` once `isImmediateReal` is known. */
function startTrial({ set, clear }: Timers, messages: Posts, done: () => void): QueueTrial {
  let isOver = false;
  const settle = (isReal: boolean): void => {
    if (isOver) return;
    isImmediateReal = isReal;
    end();
    done();
  };
  const call = set(() => settle(true), 0);
  const end = (): void => {
    isOver = true;
    clear(call);
    messages.close();
  };
  const count = (left: number): void =>
    messages.post(() => {
      if (left === 0) settle(false);
      else count(left - 1);
    });
  count(MESSAGES);
  return { end };
}
