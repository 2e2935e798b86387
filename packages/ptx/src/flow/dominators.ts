import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlockId } from './flow-graph.ts';
import type { FlowOrder } from './flow-order.ts';

/** The dominator tree of a graph. */
export interface Dominators {
  /** The immediate dominator of each block; -1 for the entry and for unreachable blocks. */
  readonly immediate: Int32Array;
  /**
   * True if every path to `block` contains `over`, or if the two are equal. Takes time logarithmic
   * in the depth.
   */
  dominates(over: FlowBlockId, block: FlowBlockId): boolean;
}

/**
 * Computes the dominators along the forward edges of a graph. They are the dominators of the whole
 * graph if each back edge leads to a block that dominates its source.
 *
 * In such a graph only the forward edges matter, so one pass in reverse postorder is enough. A
 * block's dominator is the common ancestor of its predecessors (Cooper, Harvey, Kennedy). Skip
 * links find ancestors without walking long chains.
 */
export function findDominators(flow: FlowOrder): Dominators {
  const count = flow.index.length;
  const immediate = new Int32Array(count).fill(-1);
  const depth = new Int32Array(count);
  // An ancestor further up. The skew-binary form of the depth determines how many levels.
  const skip = new Int32Array(count);

  const climb = (block: FlowBlockId, level: number): FlowBlockId => {
    let at = block;
    while (elementAt(depth, at) > level) {
      const far = elementAt(skip, at);
      at = elementAt(depth, far) >= level ? far : elementAt(immediate, at);
    }
    return at;
  };
  const common = (one: FlowBlockId, other: FlowBlockId): FlowBlockId => {
    const level = Math.min(elementAt(depth, one), elementAt(depth, other));
    let a = climb(one, level);
    let b = climb(other, level);
    while (a !== b) {
      const [farA, farB] = [elementAt(skip, a), elementAt(skip, b)];
      [a, b] = farA === farB ? [elementAt(immediate, a), elementAt(immediate, b)] : [farA, farB];
    }
    return a;
  };

  for (const block of flow.order) {
    const [first, ...others] = elementAt(flow.forward, block);
    if (first === undefined) {
      skip[block] = block;
      continue;
    }
    const parent = others.reduce(common, first);
    immediate[block] = parent;
    depth[block] = elementAt(depth, parent) + 1;
    const far = elementAt(skip, parent);
    const isEven =
      elementAt(depth, parent) - elementAt(depth, far) ===
      elementAt(depth, far) - elementAt(depth, elementAt(skip, far));
    skip[block] = isEven ? elementAt(skip, far) : parent;
  }
  return {
    immediate,
    dominates: (over, block) => climb(block, elementAt(depth, over)) === over,
  };
}
