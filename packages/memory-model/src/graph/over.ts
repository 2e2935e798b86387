import type { Causality } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { before, type GraphEvent } from './graph-event.ts';

/**
 * True if, on GPUs, a load has finished when another thread writes to the same bytes. That is so if
 * a volatile read before this write, or the strong read that ended a wait before it, has seen a
 * write that comes after the load, directly or through read-modify-writes. GPUs begin no write
 * before the reads that it depends on have ended.
 */
export function isOver(graph: ExecutionGraph, causality: Causality, load: GraphEvent, write: GraphEvent): boolean {
  const isBefore = (x: GraphEvent, y: GraphEvent): boolean => before(x, y) || causality.base(x, y);
  return graph.events.some((read) => {
    const isSeen = read.access?.volatile === true || (read.access !== undefined && read.waitsFrom >= 0);
    if (read.kind !== 'read' || !isSeen || !isBefore(read, write)) return false;
    const seen = new Set<GraphEvent>();
    for (let at = read.sources?.[0]?.write; at !== undefined && !seen.has(at); at = at.partner?.sources?.[0]?.write) {
      if (at.kind === 'write' && isBefore(load, at)) return true;
      seen.add(at);
    }
    return false;
  });
}
