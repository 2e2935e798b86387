import type { ExecutionGraph } from '../protocol.ts';

/**
 * An order of two accesses: of the program, from a write to its read, or the orders that follow.
 */
export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly kind: 'po' | 'reads' | 'fr' | 'co';
  /** True if it is part of the cycle that is shown. */
  readonly isInCycle?: boolean;
}

/** The edges between the events of an execution. */
export function edgesOf({ agents, events, reads, coherence }: ExecutionGraph): readonly GraphEdge[] {
  const known = new Map(events.map((event) => [event.id, event]));
  const po = agents.flatMap((_, agent) => {
    const own = events.filter((event) => event.agent === agent);
    return own.slice(1).flatMap(({ id }, i): GraphEdge[] => {
      const before = own[i];
      return before === undefined ? [] : [{ from: before.id, to: id, kind: 'po' }];
    });
  });
  const rf = reads
    .filter(([write, read]) => known.has(write) && known.has(read))
    .map(([from, to]): GraphEdge => ({ from, to, kind: 'reads' }));
  // Writes of one thread to one location are coherent with the program.
  const writes = events.filter(({ does }) => does === 'write');
  const own = writes.flatMap((first, i) =>
    writes
      .slice(i + 1)
      .flatMap((next): readonly (readonly [number, number])[] =>
        next.agent === first.agent && next.at !== undefined && next.at === first.at ? [[first.id, next.id]] : [],
      ),
  );
  const order = [...new Map([...coherence, ...own].map((pair) => [pair.join(' '), pair])).values()];
  const co = order.map(([from, to]): GraphEdge => ({ from, to, kind: 'co' }));
  // A read comes before every write that comes after the one that it returned.
  const fr = reads.flatMap(([write, read]) => {
    const { at } = known.get(read) ?? {};
    const isInitial = !known.has(write);
    const sources = new Set(reads.filter(([, other]) => other === read).map(([source]) => source));
    return writes.flatMap(({ id, at: written }): GraphEdge[] => {
      const isLater = isInitial ? at !== undefined && written === at : order.some(([a, b]) => a === write && b === id);
      return isLater && !sources.has(id) && id !== read ? [{ from: read, to: id, kind: 'fr' }] : [];
    });
  });
  return [...po, ...rf, ...co, ...fr];
}

/** The same edges, with those of one shortest cycle marked if there is any. */
export function withCycle(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  let best: readonly GraphEdge[] = [];
  for (const start of edges) {
    const path = pathOf(edges, start.to, start.from);
    if (path !== undefined && (best.length === 0 || path.length + 1 < best.length)) best = [start, ...path];
  }
  const marked = new Set(best);
  return edges.map((edge) => (marked.has(edge) ? { ...edge, isInCycle: true } : edge));
}

/** The shortest path between two events, by breadth. */
function pathOf(edges: readonly GraphEdge[], from: number, to: number): readonly GraphEdge[] | undefined {
  const came = new Map<number, readonly GraphEdge[]>([[from, []]]);
  const queue = [from];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    const path = came.get(node) ?? [];
    if (node === to) return path;
    for (const edge of edges) {
      if (edge.from !== node || came.has(edge.to)) continue;
      came.set(edge.to, [...path, edge]);
      queue.push(edge.to);
    }
  }
  return undefined;
}
