import type { Causality } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { before, seenWrites, type GraphEvent } from './graph-event.ts';

/**
 * True if, on GPUs, a load has finished when another thread writes to the same bytes. A read before
 * this write must have seen a write that comes after the load: directly, through
 * read-modify-writes, through what the thread of that write had seen, or because it is a signal
 * that covers the load. The read is volatile, or it ended a wait, or it is that of an atomic which
 * decides if the write happens. GPUs begin no write before the reads that it depends on have ended,
 * and no request before it is posted.
 */
export function isOver(graph: ExecutionGraph, causality: Causality, load: GraphEvent, write: GraphEvent): boolean {
  const isBefore = baseOrder(causality);
  const asked = new Set<GraphEvent>();
  const isSeenBefore = (event: GraphEvent): boolean =>
    graph.events.some((read) => {
      if (read.kind !== 'read' || read.access === undefined || !isBefore(read, event)) return false;
      const isSeen = read.access.volatile === true || read.waitsFrom >= 0;
      if (!isSeen && !decides(read, event)) return false;
      const source = read.sources?.[0]?.write;
      return source !== undefined && comesAfter(source);
    });
  const decides = (read: GraphEvent, event: GraphEvent): boolean =>
    graph
      .eventsOf(read.agent)
      .some((one) => before(read, one) && isDecided(read, one) && (one === event || isBefore(one, event)));
  const comesAfter = (event: GraphEvent): boolean => {
    if (asked.has(event)) return false;
    asked.add(event);
    if (isBefore(load, event)) return true;
    const continued = event.partner?.sources?.[0]?.write;
    if (continued !== undefined && comesAfter(continued)) return true;
    const { posted, coveredBy } = graph.eventsOf(event.agent)[0] ?? {};
    const covered = coveredBy === undefined ? undefined : graph.eventsOf(coveredBy).at(-1);
    if (covered !== undefined && isBefore(load, covered)) return true;
    return isSeenBefore(event) || (posted !== undefined && (posted === load || comesAfter(posted)));
  };
  return isSeenBefore(write);
}

/**
 * True if a thread has read the count of completed requests after the network had read a source,
 * and before this write to it. The count tells so to relaxed readers too.
 */
export function isConsumed(
  graph: ExecutionGraph,
  causality: Causality,
  source: GraphEvent,
  write: GraphEvent,
): boolean {
  if (source.kind !== 'read' || source.coordinates.on !== 'network') return false;
  const isBefore = baseOrder(causality);
  return graph.events.some((read) => {
    if (read.kind !== 'read' || read.coordinates.on === 'network' || !isBefore(read, write)) return false;
    for (const from of seenWrites(read)) {
      if (graph.eventsOf(from.agent)[0]?.completes === true && isBefore(source, from)) return true;
    }
    return false;
  });
}

/** Program order and base causality. */
function baseOrder(causality: Causality): (x: GraphEvent, y: GraphEvent) => boolean {
  return (x, y) => before(x, y) || causality.base(x, y);
}

/** True if an event happens because of the value that an atomic, which is earlier, has returned. */
export function isDecided({ partner, decision }: GraphEvent, { exists }: Pick<GraphEvent, 'exists'>): boolean {
  return partner !== undefined && decision >= 0 && ((exists >> BigInt(decision)) & 1n) === 1n;
}
