import { at as itemAt } from '@nccl-ts/core';
import type { ExecutionGraph } from './execution-graph.ts';
import type { GraphEvent, ReadSource } from './graph-event.ts';
import type { ByteRange } from './requests.ts';

/**
 * Lists every combination of existing writes that provides the bytes of a read. At least one write
 * is newer than `since` (-1: any).
 */
export function candidates(
  graph: ExecutionGraph,
  { at, bytes }: ByteRange,
  since: number,
): readonly (readonly ReadSource[])[] {
  // The newest come first, because they usually let the run continue furthest.
  const writes = [...graph.writesOver(at, bytes)].reverse();
  if (since >= 0 && !writes.some((write) => write.since > since)) return [];
  const cuts = new Set([at, at + bytes]);
  for (const write of writes) {
    for (const cut of [write.at, write.at + write.bytes]) if (cut > at && cut < at + bytes) cuts.add(cut);
  }
  const edges = [...cuts].toSorted((a, b) => a - b);
  let assignments: readonly (readonly ReadSource[])[] = [[]];
  for (let index = 0; index + 1 < edges.length; index++) {
    const first = itemAt(edges, index);
    const size = itemAt(edges, index + 1) - first;
    const over = [...writes.filter((write) => write.at <= first && first < write.at + write.bytes), graph.initial];
    assignments = assignments.flatMap((assignment) =>
      over.map((write) => [...assignment, { write, offset: first - at, bytes: size }]),
    );
  }
  const whole = assignments.map(joined);
  return since < 0 ? whole : whole.filter((assignment) => assignment.some(({ write }) => write.since > since));
}

/**
 * Joins neighbouring bytes of one write into one source. So a read of one write's bytes always has
 * one source.
 */
function joined(assignment: readonly ReadSource[]): readonly ReadSource[] {
  const sources: ReadSource[] = [];
  for (const source of assignment) {
    const last = sources.at(-1);
    if (last?.write === source.write) sources[sources.length - 1] = { ...last, bytes: last.bytes + source.bytes };
    else sources.push(source);
  }
  return sources;
}

/**
 * Returns the time of the newest write to these bytes, on the graph's clock, or 0 if there is none.
 */
export function newestOver(graph: ExecutionGraph, { at, bytes }: ByteRange): number {
  let newest = 0;
  for (const { since } of graph.writesOver(at, bytes)) newest = Math.max(newest, since);
  return newest;
}

/**
 * A source that stays valid in later runs. Events have the same numbers in every run that makes the
 * same choices.
 */
export interface SourceNumber {
  readonly write: number;
  readonly offset: number;
  readonly bytes: number;
}

export function numbered(sources: readonly ReadSource[]): readonly SourceNumber[] {
  return sources.map(({ write, offset, bytes }) => ({ write: write.id, offset, bytes }));
}

export function found(graph: ExecutionGraph, sources: readonly SourceNumber[]): readonly ReadSource[] {
  return sources.map(({ write, offset, bytes }) => ({ write: eventAt(graph, write), offset, bytes }));
}

function eventAt(graph: ExecutionGraph, id: number): GraphEvent {
  const event = graph.events[id];
  if (event === undefined)
    throw new RangeError('A program behaved differently in a second run: it is not deterministic.');
  return event;
}
