import type { ToRank, ToWorld } from './world-messages.ts';

/**
 * One end of a connection between a rank and the worker or tab that runs the world. Messages arrive
 * in the order in which they were sent.
 */
export interface Connection<Out, In> {
  onMessage: (message: In) => void;
  /** It has no effect after `close`, because messages may still follow while a world closes. */
  send(message: Out): void;
  /** Ends all sending and receiving. */
  close(): void;
}

/** The end of a rank, and the end of the world. */
export type RankEnd = Connection<ToWorld, ToRank>;
export type WorldEnd = Connection<ToRank, ToWorld>;

/** The envelope of every message on a channel: its sender. */
interface Envelope {
  readonly from: 'rank' | 'world';
  readonly message: unknown;
}

/** The rank's end of the channel of that name. */
export function rankEnd(name: string): RankEnd {
  return end(name, 'rank', isToRank);
}

/** The other end. */
export function worldEnd(name: string): WorldEnd {
  return end(name, 'world', isToWorld);
}

/** Both ends of a connection within one worker or tab. */
export function loop(): { readonly rank: RankEnd; readonly world: WorldEnd } {
  const rank: RankEnd = {
    onMessage: () => undefined,
    send: (message) => {
      const copy = structuredClone(message);
      queueMicrotask(() => world.onMessage(copy));
    },
    close: () => undefined,
  };
  const world: WorldEnd = {
    onMessage: () => undefined,
    send: (message) => {
      const copy = structuredClone(message);
      queueMicrotask(() => rank.onMessage(copy));
    },
    close: () => undefined,
  };
  return { rank, world };
}

function end<Out, In>(
  name: string,
  from: Envelope['from'],
  expected: (message: unknown) => message is In,
): Connection<Out, In> {
  const channel = new BroadcastChannel(name);
  let open = true;
  const connection: Connection<Out, In> = {
    onMessage: () => undefined,
    send: (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
      if (open) channel.postMessage({ from, message } satisfies Envelope);
    },
    close: () => {
      open = false;
      channel.close();
    },
  };
  channel.onmessage = ({ data }) => {
    if (isEnvelope(data) && data.from !== from && expected(data.message)) connection.onMessage(data.message);
  };
  return connection;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'from' in value && 'message' in value;
}

const toWorld: Readonly<Record<ToWorld['kind'], true>> = {
  join: true,
  gpu: true,
  call: true,
  launch: true,
  cancel: true,
  host: true,
  received: true,
  abort: true,
};

const toRank: Readonly<Record<ToRank['kind'], true>> = {
  open: true,
  joined: true,
  refused: true,
  gpu: true,
  result: true,
  error: true,
  stall: true,
  ended: true,
};

// Only the ranks of one world know the name of the channel, so a message of the right kind is valid.
function isToWorld(message: unknown): message is ToWorld {
  return hasKindOf(message, toWorld);
}

function isToRank(message: unknown): message is ToRank {
  return hasKindOf(message, toRank);
}

function hasKindOf(message: unknown, kinds: object): boolean {
  if (typeof message !== 'object' || message === null) return false;
  const kind: unknown = Reflect.get(message, 'kind');
  return typeof kind === 'string' && Object.hasOwn(kinds, kind);
}
