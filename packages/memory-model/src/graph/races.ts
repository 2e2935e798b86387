import { Causality, crosses, isFlagStore, type EventFilter, type FenceOrder } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { scopeWidth } from '../scope.ts';
import { before, mayReach, morallyStrong, overlap, reaches, type GraphEvent } from './graph-event.ts';
import { isConsumed, isDecided, isOver } from './over.ts';

/** Two accesses that race. `first` belongs to the agent with the lower number. */
export interface RacingPair {
  readonly first: GraphEvent;
  readonly second: GraphEvent;
}

/**
 * Finds all races: overlapping accesses of different agents, one of them a write, that are neither
 * morally strong nor ordered by causality. A strong access does not race with events after a strong
 * write that has overtaken it, because coherence orders the two.
 */
export function racesOf(graph: ExecutionGraph, causality: Causality): readonly RacingPair[] {
  return [...unorderedRaces(graph, causality), ...failingLooks(graph, causality)];
}

function unorderedRaces(graph: ExecutionGraph, causality: Causality, reach = reaches): readonly RacingPair[] {
  return unorderedPairs(graph, causality, reach).filter(({ first, second }) => !isMixed(causality, first, second));
}

/**
 * The races of looks that did not end a wait. Each write that is not ordered before the wait may
 * come at the time of such a look, even if it is ordered before the read that ends the wait.
 */
function* failingLooks(graph: ExecutionGraph, causality: Causality, reach = reaches): Generator<RacingPair> {
  for (const read of graph.events) {
    if (read.waitsFrom < 0) continue;
    const start = graph.eventsOf(read.agent)[read.waitsFrom - 1];
    for (const write of graph.writesOver(read.at, read.bytes)) {
      if (!write.live || write.agent === read.agent || crosses(write, read)) continue;
      if (morallyStrong(write, read, reach)) continue;
      if (!causality.precedes(write, read) || causality.precedesWait(write, read, start)) continue;
      yield write.agent < read.agent ? { first: write, second: read } : { first: read, second: write };
    }
  }
}

/** A wait, and a write that may be the first of its word and may come after the wait has begun. */
export interface EarlyWait {
  readonly read: GraphEvent;
  readonly write: GraphEvent;
}

/**
 * The waits before whose beginning nothing needs to write their word. Such a wait may end with the
 * initial contents. Only those for the words that `isIncluded` accepts are examined.
 */
export function* earlyWaitsOf(
  graph: ExecutionGraph,
  causality: Causality,
  isIncluded: (address: number) => boolean,
): Generator<EarlyWait> {
  for (const read of graph.events) {
    if (read.waitsFrom < 0 || !isIncluded(read.at)) continue;
    const start = graph.eventsOf(read.agent)[read.waitsFrom - 1];
    const writes = [...graph.writesOver(read.at, read.bytes)].filter(({ live, kind }) => live && kind === 'write');
    const isBefore = (write: GraphEvent): boolean =>
      write.agent === read.agent ? before(write, read) : causality.precedesWait(write, read, start);
    if (writes.some(isBefore)) continue;
    for (const write of writes)
      if (!writes.some((one) => before(one, write) || causality.precedes(one, write))) yield { read, write };
  }
}

/**
 * The pairs of accesses through different proxies that threads have ordered without a proxy fence
 * between them.
 */
export function proxyMixesOf(graph: ExecutionGraph, causality: Causality): readonly RacingPair[] {
  if (graph.events.every(({ coordinates }) => coordinates.proxy === undefined)) return [];
  return unorderedPairs(graph, causality).filter(({ first, second }) => isMixed(causality, first, second));
}

function isMixed(causality: Causality, a: GraphEvent, b: GraphEvent): boolean {
  return crosses(a, b) && (causality.precedesByThreads(a, b) || causality.precedesByThreads(b, a));
}

function unorderedPairs(graph: ExecutionGraph, causality: Causality, reach = reaches): readonly RacingPair[] {
  const races: RacingPair[] = [];
  for (const { events } of graph.clusters) {
    for (const [index, a] of events.entries()) {
      if (!a.live) continue;
      for (let other = index + 1; other < events.length; other++) {
        const b = events[other];
        if (b === undefined || !b.live || a.agent === b.agent) continue;
        if (a.kind !== 'write' && b.kind !== 'write') continue;
        if (!overlap(a, b) || morallyStrong(a, b, reach)) continue;
        if (causality.precedes(a, b) || causality.precedes(b, a)) continue;
        if (isConsumed(graph, causality, a, b) || isConsumed(graph, causality, b, a)) continue;
        if (isOvertaken(a, b, events, causality) || isOvertaken(b, a, events, causality)) continue;
        races.push(a.agent < b.agent ? { first: a, second: b } : { first: b, second: a });
      }
    }
  }
  return races;
}

/** Those of the `races` of the memory model whose accesses current GPUs do not order either. */
export function hardwareRacesOf(
  graph: ExecutionGraph,
  model: Causality,
  order: FenceOrder,
  races: readonly RacingPair[],
): readonly RacingPair[] {
  const onGpus = new Causality(graph, undefined, order, model);
  const flags = flagStores(races);
  // A store to a flag counts as relaxed at system scope.
  const reach = (event: GraphEvent, other: GraphEvent): boolean =>
    (flags.has(event) && !crosses(event, other)) || mayReach(event, other);
  const left = unorderedRaces(graph, onGpus, reach).filter(({ first, second }) => {
    if (first.kind === second.kind) return true;
    const [load, write] = first.kind === 'read' ? [first, second] : [second, first];
    return !isOver(graph, model, load, write) && !isDecidedAfter(graph, model, order, load, write);
  });
  // The orders of GPUs beyond the model concern the read that ends a wait, and not earlier ones.
  return [...left, ...failingLooks(graph, model, reach)];
}

/** The stores to flags among `races`. Nothing promises how a store and the network share a word. */
function flagStores(races: readonly RacingPair[]): ReadonlySet<GraphEvent> {
  const pairs = races.flatMap(({ first, second }) => [[first, second] as const, [second, first] as const]);
  const stores = pairs.filter(([store, read]) => store.coordinates.on !== 'network' && isFlagStore(store, read));
  return new Set(stores.map(([store]) => store));
}

/**
 * True if, on GPUs, a strong load begins after a plain write. That is so if the load only happens
 * because of old values that atomics have returned, and these have seen a later release. A plain
 * load may return what its multiprocessor has cached before.
 */
function isDecidedAfter(
  graph: ExecutionGraph,
  model: Causality,
  order: FenceOrder,
  load: GraphEvent,
  write: GraphEvent,
): boolean {
  if (load.access === undefined || write.access !== undefined) return false;
  return new Causality(graph, undefined, order, model, decidedBy(load)).precedes(write, load);
}

/** Selects the atomics because of whose old values an event happens. On GPUs, these acquire. */
export function decidedBy(event: GraphEvent): EventFilter {
  return (atomic) => atomic.access !== undefined && isDecided(atomic, event);
}

/**
 * True if a sequence of strong writes to the bytes of `x` comes after `x`, and the last of them
 * precedes `y`.
 */
function isOvertaken(x: GraphEvent, y: GraphEvent, events: readonly GraphEvent[], causality: Causality): boolean {
  if (x.access === undefined) return false;
  const found = new Set<GraphEvent>([x]);
  for (const earlier of found) {
    for (const write of events) {
      if (!write.live || found.has(write) || !overtakes(write, earlier, causality)) continue;
      if (causality.precedes(write, y)) return true;
      found.add(write);
    }
  }
  return false;
}

function overtakes(write: GraphEvent, x: GraphEvent, causality: Causality): boolean {
  if (write.kind !== 'write' || write.access === undefined || x.access === undefined) return false;
  if (write.at !== x.at || write.bytes !== x.bytes || scopeWidth(x.access.scope) < scopeWidth(write.access.scope))
    return false;
  return before(x, write) || x.partner === write || causality.precedes(x, write);
}
