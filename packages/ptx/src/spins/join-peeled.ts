import { assignedLocals } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';
import { findLiveLocals, type LiveLocals } from '../flow/live-locals.ts';
import type { FlowShape } from '../flow/loops.ts';
import { negate } from '../negate.ts';
import { copyAtEnd } from './copy-at-end.ts';
import type { LookLoop } from './look-loop.ts';
import type { SameCode } from './same-code.ts';

/**
 * Moves peeled first rounds back into their loops. A compiler turns `while (ld(p) != x) pause();`
 * into `if (ld(p) != x) do pause(); while (ld(p) != x)`. If code before a loop equals a block of
 * the loop and has the same successors, it becomes a jump to that block.
 */
export function joinPeeled(graph: FlowGraph, shape: FlowShape, loops: readonly LookLoop[]): FlowGraph {
  let blocks: FlowBlock[] | undefined;
  const pieces = loops.flatMap(({ head, blocks: inside }) => [...inside, ...elementAt(shape.flow.forward, head)]);
  const locals = new Set(pieces.flatMap((id) => [...assignedLocals(elementAt(graph.blocks, id).body)]));
  const live = findLiveLocals(graph, shape.flow, locals);
  for (const loop of loops) {
    const joined = joinedEntries(graph, shape, loop, live);
    if (joined === undefined) continue;
    blocks ??= [...graph.blocks];
    for (const [id, block] of joined) blocks[id] = block;
  }
  return blocks === undefined ? graph : { blocks };
}

/** The blocks that lead into `loop`, if all of them end with a copy of one of its rounds. */
function joinedEntries(
  graph: FlowGraph,
  shape: FlowShape,
  loop: LookLoop,
  live: LiveLocals,
): ReadonlyMap<FlowBlockId, FlowBlock> | undefined {
  const entries = elementAt(shape.flow.forward, loop.head);
  if (loop.head === 0 || entries.length === 0 || entries.length > MOST_ENTRIES) return undefined;
  for (const to of loop.blocks) {
    const { body } = elementAt(graph.blocks, to);
    if (body.length === 0 || body.length > MOST_STATEMENTS) continue;
    const joined = new Map<FlowBlockId, FlowBlock>();
    for (const from of entries) {
      const block = elementAt(graph.blocks, from);
      const found = copyAtEnd(block.body, body);
      if (found === undefined || !isSameEnd(graph, live, block.end, found.code, to)) break;
      joined.set(from, { body: found.before, end: { kind: 'jump', to, span: block.end.span } });
    }
    if (joined.size === entries.length) return joined;
  }
  return undefined;
}

const MOST_ENTRIES = 8;
const MOST_STATEMENTS = 200;

/**
 * True if `end`, after a copy of the code of block `to`, is equivalent to the end of `to`, for all
 * code that follows.
 */
function isSameEnd(graph: FlowGraph, live: LiveLocals, end: FlowEnd, code: SameCode, to: FlowBlockId): boolean {
  const targets = sameTargets(end, elementAt(graph.blocks, to).end, code);
  if (targets === undefined) return false;
  const changed = code.differing();
  return targets.every((target) => [...changed].every((id) => !live.isLiveInto(target, id)));
}

/** The targets of both ends, if they are the same and depend on the same condition. */
function sameTargets(one: FlowEnd, other: FlowEnd, code: SameCode): readonly FlowBlockId[] | undefined {
  if (one.kind === 'jump') return other.kind === 'jump' && one.to === other.to ? [one.to] : undefined;
  if (one.kind !== 'branch' || other.kind !== 'branch') return undefined;
  if (one.then === other.then && one.else === other.else) {
    return code.expression(one.condition, other.condition) ? [one.then, one.else] : undefined;
  }
  const isTurned = one.then === other.else && one.else === other.then;
  return isTurned && code.expression(negate(one.condition), other.condition) ? [one.then, one.else] : undefined;
}
