import { at as elementAt } from '@nccl-ts/core';
import { flowTargets } from './flow-ends.ts';
import type { FlowBlockId, FlowGraph } from './flow-graph.ts';

/**
 * An order of a graph's blocks in which every block comes before its successors, except along back
 * edges.
 */
export interface FlowOrder {
  /**
   * Reverse postorder from block 0, so only back edges lead to an earlier block. Unreachable blocks
   * are omitted.
   */
  readonly order: readonly FlowBlockId[];
  /** The index of a block in `order`, or -1 if it is unreachable. */
  readonly index: Int32Array;
  /** For each block, its predecessors along edges that go forward in the order. */
  readonly forward: readonly (readonly FlowBlockId[])[];
  /** For each block, its predecessors along edges that go back, or from the block to itself. */
  readonly back: readonly (readonly FlowBlockId[])[];
}

/** Finds the order of `graph` in time linear in its edges. */
export function orderFlow(graph: FlowGraph): FlowOrder {
  const { blocks } = graph;
  const index = new Int32Array(blocks.length).fill(-1);
  const order: FlowBlockId[] = [];
  const seen = new Uint8Array(blocks.length);
  const walk = [{ block: 0, targets: targetsOf(graph, 0), next: 0 }];
  seen[0] = 1;
  for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
    const target = top.targets[top.next++];
    if (target === undefined) {
      order.push(top.block);
      walk.pop();
    } else if (elementAt(seen, target) === 0) {
      seen[target] = 1;
      walk.push({ block: target, targets: targetsOf(graph, target), next: 0 });
    }
  }
  order.reverse();
  order.forEach((block, at) => {
    index[block] = at;
  });
  const forward: FlowBlockId[][] = blocks.map(() => []);
  const back: FlowBlockId[][] = blocks.map(() => []);
  for (const block of order) {
    for (const target of targetsOf(graph, block)) {
      const edges = elementAt(index, target) > elementAt(index, block) ? forward : back;
      elementAt(edges, target).push(block);
    }
  }
  return { order, index, forward, back };
}

/**
 * The last target is visited first, so that the first target of a branch comes first in the order.
 */
function targetsOf(graph: FlowGraph, block: FlowBlockId): readonly FlowBlockId[] {
  return flowTargets(elementAt(graph.blocks, block).end).toReversed();
}
