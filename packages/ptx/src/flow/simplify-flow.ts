import { compare, constant, mayFault, type Expression, type Statement } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowTargets, mapFlowTargets } from './flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from './flow-graph.ts';

/**
 * Simplifies a graph without changing its behaviour. Unreachable blocks, and blocks that only jump,
 * are removed. Branches on constants are decided, code after a trap is removed, and straight chains
 * become one block. Block 0 remains the entry, and other blocks get new numbers.
 */
export function simplifyFlow(graph: FlowGraph): FlowGraph {
  const decided = graph.blocks.map((given): FlowBlock => {
    const block = endAtFault(given);
    const end = decide(block.end);
    return end === block.end ? block : { ...block, end };
  });
  const skip = skipEmpty(decided);
  const threaded = decided.map((block): FlowBlock => ({ ...block, end: decide(mapFlowTargets(block.end, skip)) }));
  return renumber(joinChains(threaded));
}

/**
 * Removes the statements after one that always ends the thread, because compilers let control
 * continue after a trap.
 */
function endAtFault(block: FlowBlock): FlowBlock {
  const at = block.body.findIndex((s) => s.kind === 'assert' && s.contract !== true && isFalse(s.condition));
  const fault = block.body[at];
  if (fault === undefined || (at === block.body.length - 1 && block.end.kind === 'return')) return block;
  return { body: block.body.slice(0, at + 1), end: { kind: 'return', span: fault.span } };
}

function isFalse(condition: Expression): boolean {
  return condition.kind === 'constant' && condition.value === false;
}

function decide(end: FlowEnd): FlowEnd {
  const { span } = end;
  if (end.kind === 'branch') {
    const { condition } = end;
    if (condition.kind === 'constant') {
      return { kind: 'jump', to: condition.value === true ? end.then : end.else, span };
    }
    return end.then === end.else && !mayFault(condition) ? { kind: 'jump', to: end.then, span } : end;
  }
  if (end.kind === 'switch') {
    const [first, second] = end.targets;
    const { index } = end;
    const chosen = index.kind === 'constant' ? end.targets[Number(index.value)] : undefined;
    if (chosen !== undefined) return { kind: 'jump', to: chosen, span };
    if (first === undefined || mayFault(index)) return end;
    if (end.targets.every((target) => target === first)) return { kind: 'jump', to: first, span };
    if (second === undefined || end.targets.length > 2) return end;
    return decide({ kind: 'branch', condition: isZero(index), then: first, else: second, span });
  }
  return end;
}

function isZero(index: Expression): Expression {
  return compare('eq', index, constant('u32', 0));
}

/** The final target of a jump through blocks that only jump. Empty loops stay. */
function skipEmpty(blocks: readonly FlowBlock[]): (target: FlowBlockId) => FlowBlockId {
  const known = new Map<FlowBlockId, FlowBlockId>();
  return (target) => {
    const path: FlowBlockId[] = [];
    const onPath = new Set<FlowBlockId>();
    let at = target;
    for (;;) {
      const before = known.get(at);
      if (before !== undefined) {
        at = before;
        break;
      }
      const { body, end } = elementAt(blocks, at);
      if (body.length > 0 || end.kind !== 'jump' || onPath.has(at)) break;
      path.push(at);
      onPath.add(at);
      at = end.to;
    }
    for (const one of path) known.set(one, at);
    return at;
  };
}

/**
 * Merges every block with its successor if that has no other predecessor. Merged blocks stay as
 * unreachable ones.
 */
function joinChains(blocks: readonly FlowBlock[]): readonly FlowBlock[] {
  const entries = new Uint32Array(blocks.length);
  const reached = reachable(blocks);
  for (const id of reached)
    for (const to of flowTargets(elementAt(blocks, id).end)) entries[to] = elementAt(entries, to) + 1;
  // The entry also has a predecessor outside the graph.
  entries[0] = 2;
  const isJoined = new Set<FlowBlockId>();
  const follows = (from: FlowBlockId): FlowBlockId | undefined => {
    const { end } = elementAt(blocks, from);
    if (end.kind !== 'jump' || end.to === from || elementAt(entries, end.to) !== 1) return undefined;
    return end.to;
  };
  for (const id of reached) {
    const next = follows(id);
    if (next !== undefined) isJoined.add(next);
  }
  return blocks.map((block, id): FlowBlock => {
    let next = isJoined.has(id) ? undefined : follows(id);
    if (next === undefined) return block;
    const body: Statement[] = [];
    for (const s of block.body) body.push(s);
    let last = block;
    while (next !== undefined) {
      last = elementAt(blocks, next);
      for (const s of last.body) body.push(s);
      next = follows(next);
    }
    return { body, end: last.end };
  });
}

/** The blocks reachable from block 0, in the order of the traversal. */
function reachable(blocks: readonly FlowBlock[]): readonly FlowBlockId[] {
  const seen = new Set<FlowBlockId>([0]);
  for (const id of seen) for (const to of flowTargets(elementAt(blocks, id).end)) seen.add(to);
  return [...seen];
}

function renumber(blocks: readonly FlowBlock[]): FlowGraph {
  const kept = [...reachable(blocks)].toSorted((a, b) => a - b);
  const numbers = new Map(kept.map((old, now) => [old, now]));
  const map = (old: FlowBlockId): FlowBlockId => {
    const now = numbers.get(old);
    if (now === undefined) throw new RangeError(`Block ${old} cannot be reached.`);
    return now;
  };
  return {
    blocks: kept.map((id): FlowBlock => {
      const block = elementAt(blocks, id);
      return { body: block.body, end: mapFlowTargets(block.end, map) };
    }),
  };
}
