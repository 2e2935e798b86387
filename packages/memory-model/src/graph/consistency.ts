import { Causality, type EventFilter, type FenceOrder } from './causality.ts';
import { Coherence } from './coherence.ts';
import type { Cluster, ExecutionGraph } from './execution-graph.ts';
import { morallyStrong, type GraphEvent } from './graph-event.ts';

/** A graph that contradicts no axiom, as far as its orders are decided. */
export interface Consistent {
  readonly causality: Causality;
  /** The order of its sequential fences, if the graph does not decide it. */
  readonly order: FenceOrder;
  readonly coherence: ReadonlyMap<Cluster, Coherence>;
}

/**
 * True if no axiom forbids the cluster of one read, independent of the causality order of the
 * graph.
 */
export function locallyConsistent(
  graph: ExecutionGraph,
  read: GraphEvent,
  causality: Causality,
  counts: EventFilter = () => true,
): boolean {
  return Coherence.of(graph, graph.clusterOf(read.at, read.bytes), causality, counts) !== undefined;
}

/**
 * True if no axiom forbids the graph, which was consistent before the events from number `since` on
 * were added at the ends of their agents. The earlier events keep their order, so only the bytes
 * that the new events access are checked.
 */
export function stillConsistent(graph: ExecutionGraph, since: number, counts: EventFilter = () => true): boolean {
  const touched = new Set<Cluster>();
  for (let id = since; id < graph.events.length; id++) {
    const event = graph.events[id];
    if (event !== undefined && event.isMemory && counts(event)) touched.add(graph.clusterOf(event.at, event.bytes));
  }
  if (touched.size === 0) return true;
  const causality = new Causality(graph, counts);
  return (
    causality.acyclic && [...touched].every((cluster) => Coherence.of(graph, cluster, causality, counts) !== undefined)
  );
}

/**
 * Returns the consequences of a graph, or `undefined` if an axiom forbids it and every extension of
 * it. `order` is the decided order of its sequential fences.
 */
export function consistent(
  graph: ExecutionGraph,
  counts: EventFilter = () => true,
  order: FenceOrder = [],
): Consistent | undefined {
  const causality = new Causality(graph, counts, order);
  if (!causality.acyclic) return undefined;
  const coherence = new Map<Cluster, Coherence>();
  for (const cluster of graph.clusters) {
    const decided = Coherence.of(graph, cluster, causality, counts);
    if (decided === undefined) return undefined;
    coherence.set(cluster, decided);
  }
  return { causality, order, coherence };
}

/**
 * Limits how many orders of sequential fences are examined. There may be one for every permutation.
 */
export class OrderBudget {
  readonly #most: number;
  #used = 0;

  constructor(most: number = 2000) {
    this.#most = most;
  }

  /** The number of orders, and of parts of orders, examined so far. */
  get used(): number {
    return Math.min(this.#used, this.#most);
  }

  /** True if there are more orders than were examined. */
  get isSpent(): boolean {
    return this.#used > this.#most;
  }

  /** True if one more may be examined. */
  take(): boolean {
    return ++this.#used <= this.#most;
  }
}

/**
 * Yields every order of the sequential fences with its consequences, until the budget is spent. The
 * generator leaves the graph unchanged, so a caller may stop at any result.
 */
export function* fenceOrders(graph: ExecutionGraph, budget: OrderBudget): Generator<Consistent> {
  const fences = graph.events.filter(({ sequential }) => sequential);
  yield* orders(graph, fences, [], budget);
}

function* orders(
  graph: ExecutionGraph,
  fences: readonly GraphEvent[],
  order: FenceOrder,
  budget: OrderBudget,
): Generator<Consistent> {
  if (!budget.take()) return;
  const now = consistent(graph, undefined, order);
  if (now === undefined) return;
  const open = openPair(fences, now.causality);
  if (open === undefined) {
    yield now;
    return;
  }
  const [a, b] = open;
  for (const pair of [
    [a, b],
    [b, a],
  ] as const) {
    yield* orders(graph, fences, [...order, pair], budget);
  }
}

/** Returns two sequential fences that need an order and have none. */
function openPair(fences: readonly GraphEvent[], causality: Causality): readonly [GraphEvent, GraphEvent] | undefined {
  for (const [index, a] of fences.entries()) {
    for (const b of fences.slice(index + 1)) {
      if (a.agent === b.agent || !morallyStrong(a, b)) continue;
      if (!causality.base(a, b) && !causality.base(b, a)) return [a, b];
    }
  }
  return undefined;
}
