import { Causality, type FenceOrder } from './causality.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import type { GraphEvent } from './graph-event.ts';
import { decidedBy } from './races.ts';

/** A read, and a write that it does not read, though it comes after it on current GPUs. */
export interface StaleRead {
  readonly read: GraphEvent;
  readonly write: GraphEvent;
}

/**
 * The first read of an execution that the memory model allows and current GPUs do not show: it has
 * read what another write had replaced before. `undefined` if there is none. `model` and `order`
 * are those of the execution.
 */
export function staleOnGpus(graph: ExecutionGraph, model: Causality, order: FenceOrder): StaleRead | undefined {
  const onGpus = new Causality(graph, undefined, order, model);
  for (const read of graph.events) {
    const { sources = [], kind, live, access } = read;
    if (kind !== 'read' || !live || sources.length === 0) continue;
    const missed = [...graph.writesOver(read.at, read.bytes)].filter(
      (write) =>
        write.live &&
        write.kind === 'write' &&
        write.agent !== read.agent &&
        sources.some(({ write: source }) => source.kind === 'initial' || onGpus.precedes(source, write)),
    );
    if (missed.length === 0) continue;
    // A plain load may return what its multiprocessor has cached before.
    const decided = access === undefined ? undefined : new Causality(graph, undefined, order, model, decidedBy(read));
    const write = missed.find((one) => onGpus.precedes(one, read) || decided?.precedes(one, read) === true);
    if (write !== undefined) return { read, write };
  }
  return undefined;
}
