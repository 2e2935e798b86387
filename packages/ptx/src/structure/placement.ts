import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import { isInLoop, type FlowShape } from '../flow/loops.ts';

/** Where the code of each block is placed. */
export interface BlockPlacement {
  /** True if a block only ends the thread. Jumps to it then end the thread themselves. */
  readonly isReturn: (block: FlowBlockId) => boolean;
  /** True if the block is placed at its only predecessor, so no jump to it is needed. */
  readonly isInline: (block: FlowBlockId) => boolean;
  /** The blocks that are placed after `block` but in its innermost loop, in order. */
  readonly joins: (block: FlowBlockId) => readonly FlowBlockId[];
  /** The blocks that are placed after the loop with the head `block`, in order. */
  readonly behindLoop: (block: FlowBlockId) => readonly FlowBlockId[];
}

/**
 * A block is placed after its immediate dominator. If the dominator is in a loop and the block is
 * not, it is placed after the loop. Otherwise all code after a loop would be inside the loop.
 */
export function placeBlocks(graph: FlowGraph, shape: FlowShape): BlockPlacement {
  const { flow, dominators } = shape;
  const { length } = graph.blocks;
  const joins: FlowBlockId[][] = Array.from({ length }, () => []);
  const behind: FlowBlockId[][] = Array.from({ length }, () => []);
  const inline = new Uint8Array(length);
  const isReturn = (id: FlowBlockId): boolean => {
    const { body, end } = elementAt(graph.blocks, id);
    return end.kind === 'return' && body.length === 0 && id !== 0;
  };
  for (const block of flow.order) {
    const parent = elementAt(dominators.immediate, block);
    if (parent === -1 || isReturn(block)) continue;
    const loop = leftLoop(shape, parent, block);
    if (loop !== -1) elementAt(behind, loop).push(block);
    else if (elementAt(flow.forward, block).length > 1) elementAt(joins, parent).push(block);
    else inline[block] = 1;
  }
  return {
    isReturn,
    isInline: (block) => elementAt(inline, block) === 1,
    joins: (block) => elementAt(joins, block),
    behindLoop: (block) => elementAt(behind, block),
  };
}

/** The head of the outermost loop that contains `from` and not `to`; -1 if there is none. */
function leftLoop(shape: FlowShape, from: FlowBlockId, to: FlowBlockId): FlowBlockId {
  let left = -1;
  let loop = shape.loopOf(from);
  while (loop !== -1 && !isInLoop(shape, loop, to)) {
    left = loop;
    loop = elementAt(shape.around, loop);
  }
  return left;
}
