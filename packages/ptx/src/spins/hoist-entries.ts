import { at as elementAt } from '@nccl-ts/core';
import { assignedLocals, mayFault, readLocals, statementReads, type Body, type LocalId } from '@nccl-ts/ir';
import { flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import { findLiveLocals } from '../flow/live-locals.ts';
import type { FlowShape } from '../flow/loops.ts';
import type { LookLoop } from './look-loop.ts';

/**
 * Moves computations between a peeled first round and its loop before that round, where they have
 * the same values. A compiler puts addresses there that only the loop needs. Then the round stands
 * directly before the loop (see `joinPeeled`).
 */
export function hoistEntries(graph: FlowGraph, shape: FlowShape, loops: readonly LookLoop[]): FlowGraph {
  const between = loops.flatMap(({ head, has }) =>
    elementAt(shape.flow.forward, head).filter((id) => id !== 0 && !has(id) && onlyComputes(graph, id)),
  );
  if (between.length === 0) return graph;
  const locals = new Set(between.flatMap((id) => [...assignedLocals(elementAt(graph.blocks, id).body)]));
  const live = findLiveLocals(graph, shape.flow, locals);
  const blocks: FlowBlock[] = [...graph.blocks];
  let isChanged = false;
  for (const id of between) {
    const [from, ...others] = elementAt(shape.flow.forward, id);
    if (from === undefined || others.length > 0) continue;
    const round = elementAt(blocks, from);
    const { body, end } = elementAt(blocks, id);
    const sets = assignedLocals(body);
    const elsewhere = flowTargets(round.end).filter((to) => to !== id);
    const isFree = elsewhere.every((to) => [...sets].every((one) => !live.isLiveInto(to, one)));
    if (round.end.kind !== 'branch' || elsewhere.length !== 1 || !isFree) continue;
    if (!areApart(body, round)) continue;
    blocks[from] = { body: [...body, ...round.body], end: round.end };
    blocks[id] = { body: [], end };
    isChanged = true;
  }
  return isChanged ? { blocks } : graph;
}

function onlyComputes({ blocks }: FlowGraph, id: FlowBlockId): boolean {
  const { body, end } = elementAt(blocks, id);
  return end.kind === 'jump' && body.length > 0 && body.every((s) => s.kind === 'assign' && !mayFault(s.value));
}

/** True if neither of a computation and a block reads or sets what the other sets. */
function areApart(body: Body, round: FlowBlock): boolean {
  const [sets, setByRound] = [assignedLocals(body), assignedLocals(round.body)];
  const reads = new Set<LocalId>(body.flatMap((s) => [...statementReads(s)]));
  const readByRound = new Set<LocalId>(round.body.flatMap((s) => [...statementReads(s)]));
  if (round.end.kind === 'branch') for (const one of readLocals(round.end.condition)) readByRound.add(one);
  return (
    [...setByRound].every((one) => !sets.has(one) && !reads.has(one)) && [...sets].every((one) => !readByRound.has(one))
  );
}
