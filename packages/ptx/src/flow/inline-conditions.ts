import { expressionChildren, mayFault, readLocals, statementTarget, substituteLocals } from '@nccl-ts/ir';
import type { Expression, LocalId } from '@nccl-ts/ir';
import { isCompound } from './compound.ts';
import type { FlowBlock, FlowGraph } from './flow-graph.ts';

/** The most nodes of a condition that is inlined. Larger ones stay in their locals. */
const MOST_NODES = 64;

/**
 * Replaces branches on locals by branches on the comparisons that previous blocks stored in them.
 * The assignments stay, and `removeDeadLocals` removes those that are no longer read.
 */
export function inlineConditions(graph: FlowGraph): FlowGraph {
  return {
    blocks: graph.blocks.map((block): FlowBlock => {
      const { end } = block;
      if (end.kind !== 'branch') return block;
      const condition = atEnd(block, end.condition);
      return condition === end.condition ? block : { ...block, end: { ...end, condition } };
    }),
  };
}

/**
 * Replaces the bools that `condition` reads by their values, if these are still valid at the end of
 * the block.
 */
function atEnd({ body }: FlowBlock, condition: Expression): Expression {
  let result = condition;
  // From the end backwards, because values computed earlier must not replace a local that is set
  // later.
  const setBelow = new Set<LocalId>();
  for (let i = body.length - 1; i >= 0; i--) {
    const s = body[i];
    if (s === undefined) break;
    if (s.kind !== 'assign') {
      const target = statementTarget(s);
      if (target !== undefined) setBelow.add(target);
      if (isCompound(s)) return result;
      continue;
    }
    const isBool = s.value.type.kind === 'scalar' && s.value.type.scalar === 'bool';
    if (isBool && readLocals(result).has(s.local) && !setBelow.has(s.local) && !mayFault(s.value)) {
      const isKept = [...readLocals(s.value)].every((id) => !setBelow.has(id) && id !== s.local);
      const next = isKept ? substituteLocals(result, (id) => (id === s.local ? s.value : undefined)) : result;
      if (nodes(next) <= MOST_NODES) result = next;
    }
    setBelow.add(s.local);
  }
  return result;
}

/** The number of nodes of the expression, counting shared nodes at each use. */
function nodes(expression: Expression, known = new Map<Expression, number>()): number {
  const before = known.get(expression);
  if (before !== undefined) return before;
  const count = expressionChildren(expression).reduce((sum, child) => sum + nodes(child, known), 1);
  known.set(expression, count);
  return count;
}
