import { WARP_SIZE } from '@nccl-ts/core';
import { WARP_LINE } from '../watch/warp-lines.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { before, type GraphEvent } from './graph-event.ts';

/**
 * The stores of an execution to lines of 128 bytes that one instruction of one warp stored whole.
 * Instructions are distinguished by their source location, and by the number of times that the
 * thread has reached it.
 */
export class WarpLines {
  readonly #graph: ExecutionGraph;
  readonly #lines = new Map<GraphEvent, readonly GraphEvent[]>();

  constructor(graph: ExecutionGraph) {
    this.#graph = graph;
    const byLine = new Map<string, GraphEvent[]>();
    for (const [key, events] of instructions(graph, 'write')) {
      for (const event of events) {
        const line = `${key} ${lineOf(event)}`;
        const known = byLine.get(line);
        if (known === undefined) byLine.set(line, [event]);
        else known.push(event);
      }
    }
    for (const events of byLine.values()) {
      const addresses = new Set(events.map(({ at }) => at));
      const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
      if (bytes !== WARP_LINE || addresses.size !== events.length) continue;
      for (const event of events) this.#lines.set(event, events);
    }
  }

  /** The stores of the line to which a store belongs; empty for other stores. */
  of(store: GraphEvent): readonly GraphEvent[] {
    return this.#lines.get(store) ?? [];
  }

  /**
   * A store to a line of which readers saw only a part, in one instruction of a warp or one after
   * the other, in base causality. Lines arrive whole on GPUs, so there the execution cannot happen.
   */
  torn(base: (x: GraphEvent, y: GraphEvent) => boolean): GraphEvent | undefined {
    if (this.#lines.size === 0) return undefined;
    const reads = this.#graph.events.filter(({ kind, sources }) => kind === 'read' && sources !== undefined);
    const groups = new Map<GraphEvent, readonly GraphEvent[]>();
    for (const [, events] of instructions(this.#graph, 'read')) for (const event of events) groups.set(event, events);
    for (const read of reads) {
      for (const store of sourcesOf(read)) {
        const line = this.of(store);
        if (line.length === 0 || read.access === undefined) continue;
        const isOld = (other: GraphEvent): boolean =>
          sourcesOf(other).some((write) => !line.includes(write) && this.#comesBefore(write, line));
        const together = groups.get(read) ?? [];
        const others = reads.filter(
          (other) =>
            lineOf(other) === lineOf(read) && (together.includes(other) || before(read, other) || base(read, other)),
        );
        if (others.some(isOld)) return store;
      }
    }
    return undefined;
  }

  /** True if a write to a line is certainly older than one that stores it whole. */
  #comesBefore(write: GraphEvent, line: readonly GraphEvent[]): boolean {
    if (write.kind === 'initial' || write.coordinates.on === 'host') return true;
    return this.of(write).some((part) => line.some((newer) => before(part, newer)));
  }
}

function lineOf({ at }: GraphEvent): number {
  return Math.floor(at / WARP_LINE);
}

function sourcesOf({ sources = [] }: GraphEvent): readonly GraphEvent[] {
  return sources.map(({ write }) => write);
}

/** The strong accesses of lanes of a warp by one instruction, by a name of the instruction. */
function instructions(graph: ExecutionGraph, kind: 'read' | 'write'): ReadonlyMap<string, readonly GraphEvent[]> {
  const found = new Map<string, GraphEvent[]>();
  for (const events of graph.agents) {
    const times = new Map<GraphEvent['site'], number>();
    for (const event of events) {
      const { access, site, coordinates, partner } = event;
      if (event.kind !== kind || access === undefined || partner !== undefined || coordinates.on === 'host') continue;
      const earlier = times.get(site) ?? 0;
      times.set(site, earlier + 1);
      const key = `${coordinates.cta} ${Math.floor(coordinates.thread / WARP_SIZE)} ${site} ${earlier - (access.part?.index ?? 0)}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, [event]);
      else known.push(event);
    }
  }
  return found;
}
