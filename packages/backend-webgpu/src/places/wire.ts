import type { ToPlace, ToWorld } from './world-messages.ts';

/**
 * One end of a connection between two members. Messages arrive in the order in which they were
 * sent.
 */
export interface Wire<Out, In> {
  onMessage: (message: In) => void;
  /** It has no effect after `close`, because messages may still follow while a world closes. */
  send(message: Out): void;
  /** Ends all sending and receiving. */
  close(): void;
}

/** The end of a member, and the end of the world. */
export type PlaceEnd = Wire<ToWorld, ToPlace>;
export type WorldEnd = Wire<ToPlace, ToWorld>;

/** The envelope of every message on a channel: its sender. */
interface Envelope {
  readonly from: 'place' | 'world';
  readonly message: unknown;
}

/** The member's end of the channel of that name. */
export function placeEnd(name: string): PlaceEnd {
  return end(name, 'place', isToPlace);
}

/** The other end. */
export function worldEnd(name: string): WorldEnd {
  return end(name, 'world', isToWorld);
}

/** Both ends of a connection within one member. */
export function loop(): { readonly place: PlaceEnd; readonly world: WorldEnd } {
  const place: PlaceEnd = {
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
      queueMicrotask(() => place.onMessage(copy));
    },
    close: () => undefined,
  };
  return { place, world };
}

function end<Out, In>(
  name: string,
  from: Envelope['from'],
  expected: (message: unknown) => message is In,
): Wire<Out, In> {
  const channel = new BroadcastChannel(name);
  let open = true;
  const wire: Wire<Out, In> = {
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
    if (isEnvelope(data) && data.from !== from && expected(data.message)) wire.onMessage(data.message);
  };
  return wire;
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
  heard: true,
  abort: true,
};

const toPlace: Readonly<Record<ToPlace['kind'], true>> = {
  come: true,
  welcome: true,
  refused: true,
  gpu: true,
  result: true,
  error: true,
  stall: true,
  over: true,
};

// Only members of one world know the name of the channel, so a message of the right kind is valid.
function isToWorld(message: unknown): message is ToWorld {
  return hasKindOf(message, toWorld);
}

function isToPlace(message: unknown): message is ToPlace {
  return hasKindOf(message, toPlace);
}

function hasKindOf(message: unknown, kinds: object): boolean {
  if (typeof message !== 'object' || message === null) return false;
  const kind: unknown = Reflect.get(message, 'kind');
  return typeof kind === 'string' && Object.hasOwn(kinds, kind);
}
