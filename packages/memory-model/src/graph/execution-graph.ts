import { GraphEvent, overlap, valueOf, type EventInit, type ReadSource } from './graph-event.ts';
import type { AgentCoordinates } from './requests.ts';

/**
 * The bytes of a granule. Accesses to different aligned words of this size share no cluster unless
 * a wider access touches both.
 */
const GRANULE = 4;

/**
 * Accesses that overlap, directly or through others. Coherence is decided separately for each
 * cluster.
 */
export interface Cluster {
  readonly events: GraphEvent[];
}

/** The events of an execution so far, with the sources of its reads. */
export class ExecutionGraph {
  readonly events: GraphEvent[] = [];
  /** The events of each agent in program order. Agent 0 holds the initial contents of memory. */
  readonly agents: GraphEvent[][] = [];
  readonly initial: GraphEvent;
  readonly #coordinates: AgentCoordinates[] = [];
  readonly #granules = new Map<number, Cluster>();
  /**
   * The number of entries of clocks and coherence orders computed so far. They are nearly the whole
   * cost of exploring, and their number is the same on every machine.
   */
  work = 0;
  readonly #clusters = new Set<Cluster>();

  constructor() {
    const agent = this.addAgent({ rank: -1, cta: -1, thread: 0, on: 'host' });
    this.initial = this.add(agent, { kind: 'initial', at: 0, bytes: Infinity, site: 'initial' });
  }

  get clusters(): Iterable<Cluster> {
    return this.#clusters;
  }

  addAgent(coordinates: AgentCoordinates): number {
    this.#coordinates.push(coordinates);
    return this.agents.push([]) - 1;
  }

  coordinatesOf(agent: number): AgentCoordinates {
    const coordinates = this.#coordinates[agent];
    if (coordinates === undefined) throw new RangeError(`There is no agent ${agent}.`);
    return coordinates;
  }

  eventsOf(agent: number): GraphEvent[] {
    const events = this.agents[agent];
    if (events === undefined) throw new RangeError(`There is no agent ${agent}.`);
    return events;
  }

  /** Adds an event at the end of an agent's program order. */
  add(agent: number, init: EventInit): GraphEvent {
    const own = this.eventsOf(agent);
    const event = new GraphEvent(this.events.length, agent, this.coordinatesOf(agent), own.length, init);
    own.push(event);
    this.events.push(event);
    if (event.isMemory) this.clusterOf(event.at, event.bytes).events.push(event);
    return event;
  }

  /** Removes the newest event. */
  removeLast(): void {
    const event = this.events.pop();
    if (event === undefined) return;
    this.eventsOf(event.agent).pop();
    if (event.isMemory) this.clusterOf(event.at, event.bytes).events.pop();
  }

  /** Returns the cluster of these bytes. If they are in several clusters, merges these. */
  clusterOf(at: number, bytes: number): Cluster {
    const first = Math.floor(at / GRANULE);
    const last = Math.floor((at + Math.max(bytes, 1) - 1) / GRANULE);
    let cluster = this.#granules.get(first);
    if (cluster === undefined) {
      cluster = { events: [] };
      this.#granules.set(first, cluster);
      this.#clusters.add(cluster);
    }
    for (let granule = first + 1; granule <= last; granule++) {
      const other = this.#granules.get(granule);
      if (other === cluster) continue;
      this.#granules.set(granule, cluster);
      if (other !== undefined) this.#merge(cluster, other);
    }
    return cluster;
  }

  /** The writes to these bytes whose values are known. */
  *writesOver(at: number, bytes: number): Generator<GraphEvent> {
    for (const event of this.clusterOf(at, bytes).events) {
      if (
        event.kind === 'write' &&
        event.live &&
        event.since >= 0 &&
        event.at < at + bytes &&
        at < event.at + event.bytes
      ) {
        yield event;
      }
    }
  }

  /**
   * The bytes of a source, shifted to their position in the value read. `initialValue` returns the
   * initial contents of memory.
   */
  bitsOf(
    read: Pick<GraphEvent, 'at'>,
    source: ReadSource,
    initialValue: (at: number, bytes: number) => bigint,
  ): bigint {
    const { write, offset, bytes } = source;
    const at = read.at + offset;
    const bits =
      write.kind === 'initial'
        ? initialValue(at, bytes)
        : BigInt.asUintN(8 * bytes, valueOf(write) >> BigInt(8 * (at - write.at)));
    return bits << BigInt(8 * offset);
  }

  #merge(into: Cluster, from: Cluster): void {
    into.events.push(...from.events);
    into.events.sort((a, b) => a.id - b.id);
    this.#clusters.delete(from);
    for (const [granule, cluster] of this.#granules) if (cluster === from) this.#granules.set(granule, into);
  }
}

/** True if a write covers the source's bytes. */
export function covers(write: GraphEvent, read: GraphEvent, source: ReadSource): boolean {
  if (!overlap(write, read)) return false;
  const first = read.at + source.offset;
  return write.at < first + source.bytes && first < write.at + write.bytes;
}
