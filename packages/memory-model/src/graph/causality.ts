import { at, LINE } from '@nccl-ts/core';
import type { ExecutionGraph } from './execution-graph.ts';
import {
  areCopiesOfBlocks,
  before,
  mayReach,
  morallyStrong,
  overlap,
  reaches,
  type GraphEvent,
  type ReadSource,
} from './graph-event.ts';
import { passOn, type Link } from './passed-on.ts';
import { ProxyFences } from './proxy-fences.ts';
import { WarpLines } from './warp-lines.ts';

/** Selects the events that count. A read that does not count is treated as if it were not bound. */
export type EventFilter = (event: GraphEvent) => boolean;

/**
 * Pairs of sequential fences whose order is decided. The first fence of a pair comes before the
 * second.
 */
export type FenceOrder = readonly (readonly [GraphEvent, GraphEvent])[];

/**
 * The causality order of a graph. The constructor computes a clock for each event. For each agent,
 * the clock has the number of its events that precede this one in base causality.
 *
 * @see PTX ISA, Memory Consistency Model: observation order, patterns, synchronizes-with, base
 *   causality and causality order
 */
export class Causality {
  /**
   * True if program order and synchronization form no cycle. Otherwise all other results are
   * invalid.
   */
  readonly acyclic: boolean;
  readonly #width: number;
  readonly #clocks: Int32Array;
  readonly #counts: EventFilter;
  /** The order of the memory model alone. Present if this order also includes the order of GPUs. */
  readonly #model: Causality | undefined;
  readonly #alsoAcquires: EventFilter;
  /**
   * For each write and agent, the agent's first read that observes the write, directly or through
   * read-modify-writes. All these reads cover the same bytes, so events after a later read also
   * come after the first one.
   */
  readonly #observers = new Map<GraphEvent, readonly GraphEvent[]>();
  readonly #proxyFences: ProxyFences;

  /** In the order of GPUs, the reads that `alsoAcquires` selects acquire too. */
  constructor(
    graph: ExecutionGraph,
    counts: EventFilter = () => true,
    order: FenceOrder = [],
    model?: Causality,
    alsoAcquires: EventFilter = () => false,
  ) {
    this.#counts = counts;
    this.#model = model;
    this.#alsoAcquires = alsoAcquires;
    this.#width = graph.agents.length;
    this.#proxyFences = new ProxyFences(graph.events.filter((event) => event.kind === 'proxy' && counts(event)));
    this.#clocks = new Int32Array(graph.events.length * this.#width).fill(-1);
    graph.work += this.#clocks.length;
    this.acyclic = this.#compute(graph, this.#edges(graph, order));
  }

  /**
   * True if `x` precedes `y` in base causality. Program order alone is not enough; a
   * synchronization is needed.
   */
  base(x: GraphEvent, y: GraphEvent): boolean {
    if (x.kind === 'initial') return y.kind !== 'initial';
    // An event or agent added later is not ordered yet.
    const clock = x.agent < this.#width ? this.#clocks[y.id * this.#width + x.agent] : undefined;
    return clock !== undefined && clock >= x.position;
  }

  /**
   * The same for accesses. Accesses through different proxies also need a proxy fence between them.
   */
  preserved(x: GraphEvent, y: GraphEvent): boolean {
    return this.base(x, y) && (!crosses(x, y) || this.#proxyFences.bridge(x, y, this.#leads));
  }

  readonly #leads = (x: GraphEvent, y: GraphEvent): boolean => before(x, y) || this.base(x, y);

  /** True if `x` precedes `y` in causality order. */
  precedes(x: GraphEvent, y: GraphEvent): boolean {
    if (this.preserved(x, y)) return true;
    const observers = this.#observers.get(x);
    return observers !== undefined && observers.some((z) => this.preserved(z, y) || (before(z, y) && overlap(z, y)));
  }

  /**
   * True if `write` precedes every look of a wait at these bytes. `read` is one of the reads that
   * end the wait.
   */
  precedesWait(write: GraphEvent, read: GraphEvent, start: GraphEvent | undefined): boolean {
    if (start === undefined) return false;
    if (this.#leads(write, start)) return true;
    const isFirst = ({ position }: GraphEvent): boolean => position < read.waitsFrom;
    return (
      this.#observers
        .get(write)
        ?.some((z) => this.#leads(z, start) || z === start || (before(z, read) && isFirst(z) && overlap(z, read))) ===
      true
    );
  }

  /** True if `x` would precede `y` in causality order if all accesses went through one proxy. */
  precedesByThreads(x: GraphEvent, y: GraphEvent): boolean {
    return this.precedes(x, y) || this.base(x, y) || this.#observers.get(x)?.some((z) => this.base(z, y)) === true;
  }

  /**
   * Adds a read that was bound later and that synchronizes with nothing (see `synchronises`). It
   * only changes the observed writes. Returns a function that undoes this.
   */
  observe(read: GraphEvent): () => void {
    const earlier = [...this.#observed(read)].map((write) => [write, this.#observers.get(write)] as const);
    for (const [write] of earlier) this.#addObserver(write, read);
    return () => {
      for (const [write, observers] of earlier) {
        if (observers === undefined) this.#observers.delete(write);
        else this.#observers.set(write, observers);
      }
    };
  }

  #isObservedBefore(write: GraphEvent, { agent, position }: GraphEvent): boolean {
    return this.#observers.get(write)?.some((other) => other.agent === agent && other.position <= position) === true;
  }

  #addObserver(write: GraphEvent, read: GraphEvent): void {
    const observers = this.#observers.get(write) ?? [];
    this.#observers.set(write, [...observers.filter(({ agent }) => agent !== read.agent), read]);
  }

  /**
   * The writes that `read` observes, nearest first. The list ends at writes that an earlier read of
   * its agent observes, because everything that precedes the earlier read also precedes this one.
   */
  #observed(read: GraphEvent): ReadonlySet<GraphEvent> {
    const found = new Set<GraphEvent>();
    let reader: GraphEvent | undefined = read;
    while (reader !== undefined && reader.sources !== undefined && this.#counts(reader)) {
      const sources: readonly ReadSource[] = reader.sources;
      const write: GraphEvent | undefined = sources.length === 1 ? sources[0]?.write : undefined;
      if (write === undefined) break;
      const reach = this.#model === undefined ? reaches : mayReach;
      const isSeen = morallyStrong(write, reader, reach) || this.#isFlag(write, reader);
      if (found.has(write) || !isSeen || this.#isObservedBefore(write, read)) break;
      found.add(write);
      reader = write.partner;
    }
    return found;
  }

  /**
   * The synchronization edges. For each event, these are the events that it comes after, apart from
   * program order.
   */
  #edges(graph: ExecutionGraph, order: FenceOrder): Map<GraphEvent, GraphEvent[]> {
    const edges = new Map<GraphEvent, GraphEvent[]>();
    const add = (from: GraphEvent, to: GraphEvent): void => {
      const list = edges.get(to);
      if (list === undefined) edges.set(to, [from]);
      else list.push(from);
    };
    const releases = graph.agents.map((events) => events.filter((event) => event.releases));
    const acquires = graph.agents.map((events) => events.filter((event) => event.acquires));
    const lines = this.#model === undefined ? undefined : new WarpLines(graph);
    const links: Link[] = [];
    for (const read of graph.events) {
      if (!this.#counts(read)) continue;
      for (const from of read.follows) if (this.#counts(from)) add(from, read);
      if (read.kind !== 'read' || read.sources === undefined) continue;
      // On GPUs, a line that one instruction of a warp stores is seen whole.
      if (read.access !== undefined && lines !== undefined)
        for (const { write } of read.sources) for (const part of lines.of(write)) add(part, read);
      for (const write of this.#observed(read)) {
        this.#addObserver(write, read);
        if ((write.access === undefined && !this.#isFlag(write, read)) || read.access === undefined) continue;
        const first = releaseFor(at(releases, write.agent), write, read, this.#counts);
        const last = this.#onHardware(read) ?? acquireFor(at(acquires, read.agent), read, write, this.#counts);
        if (last === undefined) continue;
        if (first !== undefined) add(first, last);
        for (const agent of write.access?.delivers ?? []) {
          const end = graph.eventsOf(agent).at(-1);
          if (end !== undefined) add(end, last);
        }
        for (const fence of this.#fencesMet(releases, write, read)) add(fence, last);
        if (this.#model !== undefined) links.push({ write, read, last });
      }
    }
    if (this.#model !== undefined) passOn(edges, links, this.#model);
    for (const [first, second] of order) add(first, second);
    return edges;
  }

  /** True if a wait has read a plain store of an aligned word, which GPUs store at once. */
  #isFlag(write: GraphEvent, read: GraphEvent): boolean {
    return this.#model !== undefined && isFlagStore(write, read);
  }

  /** On GPUs a volatile read acquires. */
  #onHardware(read: GraphEvent): GraphEvent | undefined {
    if (this.#model === undefined) return undefined;
    return read.access?.volatile === true || this.#alsoAcquires(read) ? read : undefined;
  }

  /**
   * On GPUs, fences of other threads also make a write release, if its thread has synchronized with
   * these threads since. The last fence of each thread counts.
   */
  #fencesMet(releases: readonly (readonly GraphEvent[])[], write: GraphEvent, read: GraphEvent): readonly GraphEvent[] {
    const model = this.#model;
    if (model === undefined) return [];
    return releases.flatMap((events) => {
      const fence = events.findLast(
        (event) =>
          event.kind === 'fence' &&
          event.agent !== write.agent &&
          event.coordinates.cta === write.coordinates.cta &&
          reaches(event, read) &&
          model.base(event, write),
      );
      return fence === undefined ? [] : [fence];
    });
  }

  #compute(graph: ExecutionGraph, edges: ReadonlyMap<GraphEvent, readonly GraphEvent[]>): boolean {
    const width = this.#width;
    const clocks = this.#clocks;
    const done = new Int32Array(width);
    const joined = new Map<readonly GraphEvent[], JoinedArrivals | undefined>();
    let left = graph.events.length;
    for (let moved = true; moved;) {
      moved = false;
      for (const [agent, events] of graph.agents.entries()) {
        for (let index = at(done, agent); index < events.length; index++) {
          const event = at(events, index);
          const incoming = edges.get(event);
          const isDone = (from: GraphEvent): boolean => at(done, from.agent) > from.position;
          if (incoming !== undefined && !incoming.every(isDone)) break;
          const { meets } = event;
          let met: JoinedArrivals | undefined;
          if (meets !== undefined && this.#counts(event)) {
            met = joined.get(meets);
            if (met === undefined) {
              const arrivals = meets.filter(this.#counts);
              if (!arrivals.every(isDone)) break;
              joined.set(meets, (met = this.#joinAll(arrivals)));
            }
          }
          const row = event.id * width;
          const previous = events[index - 1];
          if (previous !== undefined) clocks.copyWithin(row, previous.id * width, previous.id * width + width);
          for (const from of incoming ?? []) this.#join(row, from);
          if (met !== undefined) this.#joinMet(row, met, agent);
          done[agent] = index + 1;
          left--;
          moved = true;
        }
      }
    }
    return left === 0;
  }

  /** The clocks of all members of a barrier together, which each of them then joins. */
  #joinAll(arrivals: readonly GraphEvent[]): JoinedArrivals {
    const width = this.#width;
    const clocks = this.#clocks;
    const joined = new Int32Array(width).fill(-1);
    for (const { id } of arrivals) {
      const row = id * width;
      for (let i = 0; i < width; i++) {
        const theirs = clocks[row + i];
        const ours = joined[i];
        if (theirs === undefined || ours === undefined) throw new RangeError(`There is no clock of event ${id}.`);
        if (theirs > ours) joined[i] = theirs;
      }
    }
    const after = joined.slice();
    for (const { agent, position } of arrivals) if (position > at(after, agent)) after[agent] = position;
    return { before: joined, after };
  }

  /**
   * Orders an event of `agent` after these arrivals. Its own arrival only precedes it in program
   * order, as long as no other agent has synchronized with it.
   */
  #joinMet(row: number, { before: known, after }: JoinedArrivals, agent: number): void {
    const clocks = this.#clocks;
    const own = Math.max(at(clocks, row + agent), at(known, agent));
    for (const [i, theirs] of after.entries()) if (theirs > at(clocks, row + i)) clocks[row + i] = theirs;
    clocks[row + agent] = own;
  }

  /** Orders the event whose clock begins at `row` after `from`. */
  #join(row: number, { id, agent, position }: GraphEvent): void {
    const width = this.#width;
    const clocks = this.#clocks;
    for (let i = 0; i < width; i++) {
      const theirs = clocks[id * width + i];
      const ours = clocks[row + i];
      // `at` would be too slow here, because this is the innermost loop.
      if (theirs === undefined || ours === undefined) throw new RangeError(`There is no clock of event ${id}.`);
      if (theirs > ours) clocks[row + i] = theirs;
    }
    if (position > at(clocks, row + agent)) clocks[row + agent] = position;
  }
}

/** The clocks that an event joins if it comes after all arrivals at a barrier. */
interface JoinedArrivals {
  /** The clocks of the arrivals. */
  readonly before: Int32Array;
  /** The same, with the arrivals themselves. */
  readonly after: Int32Array;
}

/**
 * True if a read from these sources may synchronize with anything. Both the read and a write must
 * have a memory order.
 */
export function synchronises(read: GraphEvent, sources: readonly ReadSource[]): boolean {
  return read.access !== undefined && sources.some(({ write }) => write.access !== undefined);
}

/**
 * True for a plain store of an aligned word that a strong wait reads: a flag. GPUs store such a
 * word at once.
 */
export function isFlagStore(store: GraphEvent, read: GraphEvent): boolean {
  if (store.kind !== 'write' || store.access !== undefined || store.bytes >= LINE || crosses(store, read)) return false;
  if (read.kind !== 'read' || read.access === undefined || read.waitsFrom < 0) return false;
  return store.at === read.at && store.bytes === read.bytes;
}

/**
 * True if two accesses go through different proxies, if two agents use the fabric proxy, or if two
 * blocks use the async proxy. Initial contents, hosts and the network use the generic proxy.
 */
export function crosses(x: GraphEvent, y: GraphEvent): boolean {
  if (!x.isMemory || !y.isMemory) return false;
  const { proxy } = x.coordinates;
  return proxy !== y.coordinates.proxy || (proxy === 'fabric' && x.agent !== y.agent) || areCopiesOfBlocks(x, y);
}

/**
 * Finds the last event that begins a release pattern ending in `write` and whose scope includes the
 * agent of `read`. `events` are those by which the writing agent releases.
 */
function releaseFor(
  events: readonly GraphEvent[],
  write: GraphEvent,
  read: GraphEvent,
  counts: EventFilter,
): GraphEvent | undefined {
  for (let index = events.length - 1; index >= 0; index--) {
    const event = at(events, index);
    if (event.position > write.position || !event.live || !reaches(event, read) || !counts(event)) continue;
    if (event.kind === 'fence') return event;
    if (event.kind === 'write' && event.at === write.at && event.bytes === write.bytes) return event;
  }
  return undefined;
}

/**
 * Finds the first event that ends an acquire pattern beginning with `read` and whose scope includes
 * the agent of `write`. `events` are those by which the reading agent acquires.
 */
function acquireFor(
  events: readonly GraphEvent[],
  read: GraphEvent,
  write: GraphEvent,
  counts: EventFilter,
): GraphEvent | undefined {
  for (const event of events) {
    if (event.position < read.position || !reaches(event, write) || !counts(event)) continue;
    if (event.kind === 'fence') return event;
    if (event.kind === 'read' && event.at === read.at && event.bytes === read.bytes) return event;
  }
  return undefined;
}
