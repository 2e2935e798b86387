import { elementAt } from '../flow/element-at.ts';
import type { FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import { isInLoop, type FlowShape } from '../flow/loops.ts';

/** Where the code of each block stands. */
export interface Placement {
  /** True if a block does nothing but end the thread: jumps to it end the thread themselves. */
  readonly isReturn: (block: FlowBlockId) => boolean;
  /** The one place that leads to the block is where it stands, so nothing need jump to it. */
  readonly isInline: (block: FlowBlockId) => boolean;
  /** Blocks that stand behind `block`, but in the innermost loop that it is in; by their order. */
  readonly joins: (block: FlowBlockId) => readonly FlowBlockId[];
  /** Blocks that stand behind the loop whose head `block` is; by their order. */
  readonly behindLoop: (block: FlowBlockId) => readonly FlowBlockId[];
}

/**
 * A block stands behind the last one that every way to it leads through. Where that one is in a
 * loop and the block is not, it stands behind the loop: else all that follows a loop would stand
 * inside it.
 */
export function placeBlocks(graph: FlowGraph, shape: FlowShape): Placement {
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

/** The head of the outermost loop that `from` is in and `to` is not; -1 where there is none. */
function leftLoop(shape: FlowShape, from: FlowBlockId, to: FlowBlockId): FlowBlockId {
  let left = -1;
  let loop = shape.loopOf(from);
  while (loop !== -1 && !isInLoop(shape, loop, to)) {
    left = loop;
    loop = elementAt(shape.around, loop);
  }
  return left;
}
