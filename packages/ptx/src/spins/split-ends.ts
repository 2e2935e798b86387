import { mayFault } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';
import type { LookLoop } from './look-loop.ts';

/** The most branches into which one branch is split. */
const MOST_PARTS = 16;

/**
 * Splits branches that end a loop for one of several reasons, as compilers join them: `if (found ||
 * late) break` becomes `if (found) break; if (late) break`. Then each branch has one reason, and a
 * time limit can be told from the awaited value.
 */
export function splitEnds(graph: FlowGraph, loops: readonly LookLoop[]): FlowGraph {
  let blocks: FlowBlock[] | undefined;
  for (const loop of loops) {
    for (const id of loop.blocks) {
      const { body, end } = elementAt(graph.blocks, id);
      if (end.kind !== 'branch' || loop.has(end.then) === loop.has(end.else)) continue;
      const split = new Split(end, (blocks ?? graph.blocks).length);
      if (split.made.length === 0) continue;
      blocks = [...(blocks ?? graph.blocks), ...split.made];
      blocks[id] = { body, end: split.end };
    }
  }
  return blocks === undefined ? graph : { blocks };
}

type Branch = Extract<FlowEnd, { readonly kind: 'branch' }>;

/** A branch as several, each but the first in a block of its own. */
class Split {
  readonly made: FlowBlock[] = [];
  readonly end: FlowEnd;
  readonly #first: number;

  /** `first` is the number of the first new block. */
  constructor(branch: Branch, first: number) {
    this.#first = first;
    this.end = this.#split(branch);
  }

  #split(branch: Branch): Branch {
    const { condition, then, else: otherwise, span } = branch;
    if (condition.kind === 'unary' && condition.op === 'not')
      return this.#split({ kind: 'branch', condition: condition.operand, then: otherwise, else: then, span });
    if (condition.kind !== 'logical' || mayFault(condition) || this.made.length >= MOST_PARTS) return branch;
    const second = this.#block({ kind: 'branch', condition: condition.right, then, else: otherwise, span });
    const isAnd = condition.op === 'and';
    return this.#split({
      kind: 'branch',
      condition: condition.left,
      then: isAnd ? second : then,
      else: isAnd ? otherwise : second,
      span,
    });
  }

  #block(branch: Branch): FlowBlockId {
    const index = this.made.push({ body: [], end: branch }) - 1;
    this.made[index] = { body: [], end: this.#split(branch) };
    return this.#first + index;
  }
}
