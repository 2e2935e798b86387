import { reaches, type GraphEvent } from './graph-event.ts';

/** A strong write, a read that sees it, and the event from which on that counts. */
export interface Link {
  readonly write: GraphEvent;
  readonly read: GraphEvent;
  readonly last: GraphEvent;
}

/** The order of the memory model alone. */
interface Base {
  base(x: GraphEvent, y: GraphEvent): boolean;
}

/**
 * Adds what a strong write passes on although it is no release: the releases that its thread, or a
 * thread of its CTA that it has met since, has acquired. On GPUs these are visible in their scope
 * when the acquire ends, and no later store begins before that.
 *
 * @param edges for each event, the events that it comes after, apart from program order
 */
export function passOn(edges: Map<GraphEvent, GraphEvent[]>, links: readonly Link[], model: Base): void {
  const acquiredBefore = (at: GraphEvent, write: GraphEvent): boolean =>
    at.agent === write.agent
      ? at.position <= write.position
      : at.coordinates.cta === write.coordinates.cta && model.base(at, write);
  for (let moved = true; moved;) {
    moved = false;
    for (const { write, read, last } of links) {
      const known = new Set(edges.get(last));
      const passed = [...edges].flatMap(([at, from]) =>
        at !== last && acquiredBefore(at, write)
          ? from.filter((one) => one.releases && !known.has(one) && reaches(one, read))
          : [],
      );
      if (passed.length === 0) continue;
      edges.set(last, [...known, ...passed]);
      moved = true;
    }
  }
}
