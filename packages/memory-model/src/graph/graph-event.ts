import { sharesCluster, sharesDomain } from '../scope.ts';
import type { Access, AgentCoordinates, ProxyFence, Site } from './requests.ts';

/**
 * `point` is a barrier, a start or an end, after which events of other agents are ordered before
 * it. `initial` is the initial contents of memory. `proxy` is a proxy fence.
 */
export type EventKind = 'initial' | 'read' | 'write' | 'fence' | 'point' | 'proxy';

/** The bytes of a read that come from one write. `offset` counts from the read's first byte. */
export interface ReadSource {
  readonly write: GraphEvent;
  readonly offset: number;
  readonly bytes: number;
}

export interface EventInit {
  readonly kind: EventKind;
  readonly at?: number;
  readonly bytes?: number;
  readonly access?: Access | undefined;
  readonly bridges?: ProxyFence;
  readonly site: Site;
}

/** The address of an event that is not an access. */
const NOWHERE = -1;

/**
 * A node of an execution graph. Its kind never changes, but its sources and its value may be set
 * later.
 */
export class GraphEvent {
  /** The number of the event, in the order in which events were added. 0 is the initial one. */
  readonly id: number;
  readonly agent: number;
  readonly coordinates: AgentCoordinates;
  /** The number of the event among the agent's events. */
  readonly position: number;
  readonly kind: EventKind;
  readonly at: number;
  readonly bytes: number;
  readonly access: Access | undefined;
  readonly acquires: boolean;
  readonly releases: boolean;
  readonly sequential: boolean;
  /** For a proxy fence: the accesses that it orders. */
  readonly bridges: ProxyFence | undefined;
  readonly site: Site;
  /**
   * The events of other agents that always come before it, because those agents synchronized,
   * started or ended here.
   */
  readonly follows: GraphEvent[] = [];
  /**
   * For the end of a barrier: the arrivals of all its members, which come before it too. The
   * members share the list, and it includes the event's own agent.
   */
  meets: readonly GraphEvent[] | undefined;
  /** For the start of an agent: the last event of the one that has started it. */
  posted: GraphEvent | undefined;
  /**
   * For the start of an agent of the network: the agent that ends when all that the signal of this
   * one covers is done. On GPUs, that comes before the signal is seen.
   */
  coveredBy: number | undefined;
  /**
   * For the start of an agent of the network: true if it counts a request as locally complete.
   * A reader of that count, in any order, comes after the reads of the request's source.
   */
  completes = false;
  /** The other half of a read-modify-write. */
  partner: GraphEvent | undefined;
  /** For a write: true if it happens. A read-modify-write may turn out to write nothing. */
  live = true;
  /** For a write: its value, once it is known. */
  value: bigint | undefined;
  /** For a write: the time at which its value became known, on a clock that only increases. */
  since = -1;
  /** The decisions on which its existence depends, as a bit set. */
  exists = 0n;
  /** The same. For a write, also the decisions on which its value depends. */
  needs = 0n;
  /** For a read: the decision that binds it. */
  decision = -1;
  /** For a read that ends a wait: the position of the first such read. */
  waitsFrom = -1;
  /** For a read: the sources of its bytes, once it is bound. */
  sources: readonly ReadSource[] | undefined;

  constructor(id: number, agent: number, coordinates: AgentCoordinates, position: number, init: EventInit) {
    this.id = id;
    this.agent = agent;
    this.coordinates = coordinates;
    this.position = position;
    this.kind = init.kind;
    // Fences and points access no bytes.
    const { at = NOWHERE, bytes = 0 } = init;
    this.at = at;
    this.bytes = bytes;
    this.access = init.access;
    this.bridges = init.bridges;
    this.site = init.site;
    const order = init.access?.order;
    const both = order === 'acq_rel' || order === 'seq_cst';
    this.acquires = init.kind !== 'write' && (both || order === 'acquire');
    this.releases = init.kind !== 'read' && (both || order === 'release');
    this.sequential = init.kind === 'fence' && order === 'seq_cst';
  }

  get isMemory(): boolean {
    return this.kind === 'read' || this.kind === 'write';
  }
}

/** True if `x` precedes `y` in program order. */
export function before(x: GraphEvent, y: GraphEvent): boolean {
  return x.agent === y.agent && x.position < y.position;
}

/** True if bulk copies of two blocks make both accesses. */
export function areCopiesOfBlocks({ coordinates: one }: GraphEvent, { coordinates: other }: GraphEvent): boolean {
  return one.proxy === 'async' && other.proxy === 'async' && (one.rank !== other.rank || one.cta !== other.cta);
}

/** The write that a read has seen, and those that it continues as a read-modify-write. */
export function* seenWrites(read: GraphEvent): Generator<GraphEvent> {
  const seen = new Set<GraphEvent>();
  for (let at: GraphEvent | undefined = read; at !== undefined;) {
    const from: GraphEvent | undefined = at.sources?.[0]?.write;
    if (from === undefined || seen.has(from)) return;
    seen.add(from);
    yield from;
    at = from.partner;
  }
}

export function overlap(a: GraphEvent, b: GraphEvent): boolean {
  return a.at < b.at + b.bytes && b.at < a.at + a.bytes;
}

/**
 * The value of a write. No read may bind to the write before it is known.
 *
 * @throws RangeError if it is not known yet.
 */
export function valueOf({ id, value }: GraphEvent): bigint {
  if (value === undefined) throw new RangeError(`The value of write ${id} is not known yet.`);
  return value;
}

/** True if `event`'s scope includes the thread of `other`. */
export function reaches(event: GraphEvent, other: GraphEvent): boolean {
  if (event.agent === other.agent) return true;
  const { coordinates } = event;
  switch (event.access?.scope) {
    case 'system':
      return true;
    case 'device':
      return (
        onDevice(coordinates) &&
        onDevice(other.coordinates) &&
        coordinates.rank === other.coordinates.rank &&
        sharesDomain(coordinates, other.coordinates)
      );
    case 'cluster':
      return onDevice(coordinates) && onDevice(other.coordinates) && sharesCluster(coordinates, other.coordinates);
    case 'block':
      return onDevice(coordinates) && onDevice(other.coordinates) && coordinates.cta === other.coordinates.cta;
    case 'thread':
    case undefined:
      return false;
  }
}

/**
 * True if two events are morally strong. Either they belong to one thread, or both have a memory
 * order, are within each other's scope, and access the same bytes.
 */
export function morallyStrong(a: GraphEvent, b: GraphEvent, reach: typeof reaches = reaches): boolean {
  if (a.kind === 'initial' || b.kind === 'initial') return false;
  if (a.isMemory && b.isMemory && (a.at !== b.at || a.bytes !== b.bytes)) return false;
  if (a.agent === b.agent) return true;
  const isOneProxy = !a.isMemory || !b.isMemory || a.access?.fabric === b.access?.fabric;
  return isOneProxy && reach(a, b) && reach(b, a);
}

/**
 * As `reaches`, but atomics that name no scope reach everything: they are not known to fail at
 * other GPUs.
 */
export function mayReach(event: GraphEvent, other: GraphEvent): boolean {
  return event.access?.unscoped === true || reaches(event, other);
}

function onDevice({ on }: AgentCoordinates): boolean {
  return on === undefined || on === 'device';
}
