import type { Span } from '@nccl-ts/ir';
import { findDominators, type Dominators } from './dominators.ts';
import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlockId, FlowGraph } from './flow-graph.ts';
import { orderFlow, type FlowOrder } from './flow-order.ts';

/** A graph in which every loop has one entry, with its structure. */
export interface FlowShape {
  readonly flow: FlowOrder;
  readonly dominators: Dominators;
  /**
   * The head of the innermost loop that contains a block. For a head itself, the head of the next
   * outer loop. -1 if there is none. So a chain leads from a head to the heads of all loops around
   * it.
   */
  readonly around: Int32Array;
  /** The blocks to which jumps from inside lead back. */
  readonly isHead: (block: FlowBlockId) => boolean;
  /** The head of the innermost loop that contains a block. A head is in its own loop. */
  readonly loopOf: (block: FlowBlockId) => FlowBlockId;
}

/** Returns the shape of `graph`, or the ends of the blocks that jump into the middle of a loop. */
export function shapeOf(graph: FlowGraph): FlowShape | { readonly irreducible: readonly Span[] } {
  const flow = orderFlow(graph);
  const dominators = findDominators(flow);
  const irreducible: Span[] = [];
  for (const head of flow.order) {
    for (const latch of elementAt(flow.back, head)) {
      if (!dominators.dominates(head, latch)) irreducible.push(elementAt(graph.blocks, latch).end.span);
    }
  }
  if (irreducible.length > 0) return { irreducible };
  const around = findLoops(flow);
  const isHead = (block: FlowBlockId): boolean => elementAt(flow.back, block).length > 0;
  return {
    flow,
    dominators,
    around,
    isHead,
    loopOf: (block) => (isHead(block) ? block : elementAt(around, block)),
  };
}

/**
 * Finds natural loops from the inside out. An inner loop counts as one block of the loops around
 * it.
 */
function findLoops(flow: FlowOrder): Int32Array {
  const around = new Int32Array(flow.index.length).fill(-1);
  const joined = Int32Array.from(flow.index, (_, block) => block);
  const find = (block: FlowBlockId): FlowBlockId => {
    let root = block;
    while (elementAt(joined, root) !== root) root = elementAt(joined, root);
    for (let at = block; at !== root;) {
      const next = elementAt(joined, at);
      joined[at] = root;
      at = next;
    }
    return root;
  };
  for (const head of flow.order.toReversed()) {
    const open = [...elementAt(flow.back, head)];
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      const outer = find(block);
      if (outer === head) continue;
      around[outer] = head;
      joined[outer] = head;
      for (const before of elementAt(flow.forward, outer)) open.push(before);
    }
  }
  return around;
}

/** True if `block` is in the loop of `head`. */
export function isInLoop(shape: FlowShape, head: FlowBlockId, block: FlowBlockId): boolean {
  let at = shape.loopOf(block);
  while (at !== -1 && at !== head) at = elementAt(shape.around, at);
  return at === head;
}
