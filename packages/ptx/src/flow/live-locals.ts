import { bodyReads, readLocals, statementReads, statementTarget, type LocalId } from '@nccl-ts/ir';
import { isCompound } from './compound.ts';
import { at as elementAt } from '@nccl-ts/core';
import { flowDecision } from './flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowGraph } from './flow-graph.ts';
import type { FlowOrder } from './flow-order.ts';

/** The blocks in which locals are live. */
export interface LiveLocals {
  /** True if `local` may be read after the entry of `block` and before it is set again. */
  isLiveInto(block: FlowBlockId, local: LocalId): boolean;
}

/**
 * Finds the blocks in which each of `locals` is live. The time is proportional to the size of the
 * graph and of the result.
 */
export function findLiveLocals(graph: FlowGraph, flow: FlowOrder, locals: ReadonlySet<LocalId>): LiveLocals {
  const live = new Map<LocalId, Set<FlowBlockId>>();
  const set: ReadonlySet<LocalId>[] = graph.blocks.map(() => new Set());
  for (const id of flow.order) {
    const sets = new Set<LocalId>();
    set[id] = sets;
    for (const local of exposedReads(elementAt(graph.blocks, id), sets)) {
      if (!locals.has(local)) continue;
      const into = live.get(local);
      if (into === undefined) live.set(local, new Set([id]));
      else into.add(id);
    }
  }
  for (const [local, into] of live) {
    // Iterating a set also visits the items that are added meanwhile.
    for (const block of into) {
      for (const edges of [flow.forward, flow.back]) {
        for (const before of elementAt(edges, block)) if (!elementAt(set, before).has(local)) into.add(before);
      }
    }
  }
  return { isLiveInto: (block, local) => live.get(local)?.has(block) === true };
}

/**
 * Returns the locals that a block reads before it sets them. Adds to `set` those that it always
 * sets.
 */
function exposedReads({ body, end }: FlowBlock, set: Set<LocalId>): ReadonlySet<LocalId> {
  const exposed = new Set<LocalId>();
  const read = (ids: Iterable<LocalId>): void => {
    for (const id of ids) if (!set.has(id)) exposed.add(id);
  };
  for (const s of body) {
    read(isCompound(s) ? bodyReads([s]) : statementReads(s));
    const target = statementTarget(s);
    if (target !== undefined) set.add(target);
  }
  const decision = flowDecision(end);
  if (decision !== undefined) read(readLocals(decision));
  return exposed;
}
