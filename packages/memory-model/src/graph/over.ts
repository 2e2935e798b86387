import type { Causality } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { before, type GraphEvent } from './graph-event.ts';

/**
 * True if, on GPUs, a load has finished when another thread writes to the same bytes. A read before
 * this write must have seen a write that comes after the load, directly or through
 * read-modify-writes. The read is volatile, or it ended a wait, or it is that of an atomic which
 * decides if the write happens. GPUs begin no write before the reads that it depends on have ended.
 */
export function isOver(graph: ExecutionGraph, causality: Causality, load: GraphEvent, write: GraphEvent): boolean {
  const isBefore = (x: GraphEvent, y: GraphEvent): boolean => before(x, y) || causality.base(x, y);
  return graph.events.some((read) => {
    if (read.kind !== 'read' || read.access === undefined || !isBefore(read, write)) return false;
    const isSeen = read.access.volatile === true || read.waitsFrom >= 0;
    if (
      !isSeen &&
      !graph
        .eventsOf(read.agent)
        .some((event) => before(read, event) && isDecided(read, event) && (event === write || isBefore(event, write)))
    )
      return false;
    const seen = new Set<GraphEvent>();
    for (let at = read.sources?.[0]?.write; at !== undefined && !seen.has(at); at = at.partner?.sources?.[0]?.write) {
      if (at.kind === 'write' && isBefore(load, at)) return true;
      seen.add(at);
    }
    return false;
  });
}

/** True if an event happens because of the value that an atomic, which is earlier, has returned. */
export function isDecided({ partner, decision }: GraphEvent, { exists }: Pick<GraphEvent, 'exists'>): boolean {
  return partner !== undefined && decision >= 0 && ((exists >> BigInt(decision)) & 1n) === 1n;
}
