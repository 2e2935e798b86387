import {
  assignedLocals,
  constant,
  readLocals,
  statementReads,
  type LocalId,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowDecision, flowTargets, mapFlowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import { findLiveLocals } from '../flow/live-locals.ts';
import type { FlowShape } from '../flow/loops.ts';
import { lookLoop, onlyLooks } from './look-loop.ts';
import { dependents, isShared, polledBy } from './polled-loads.ts';
import { waitBlock } from './wait-round.ts';

type Vote = Extract<Statement, { readonly kind: 'collective' }>;

/**
 * A loop that lanes leave together, when a vote shows that each of them has seen the awaited value.
 */
interface VoteLoop {
  readonly head: FlowBlockId;
  /** The blocks of a round before the block of the vote. */
  readonly before: ReadonlySet<FlowBlockId>;
  /** The block of the vote, and the index of the vote in it. */
  readonly block: FlowBlockId;
  readonly at: number;
  readonly vote: Vote;
}

/**
 * Adds a wait before each round of `while (!all(ld(flag) == x))`. In it, each lane waits for the
 * value that it votes on. The round then reads again and votes. So a vote fails only if a flag that
 * was set is reset. If a lane's flag is never set, the lane is reported as waiting for it.
 *
 * `weak` are the spans of loads without an order with which such loops poll.
 */
export function waitBeforeVotes(
  graph: FlowGraph,
  shape: FlowShape,
  fresh: FreshNames,
): { readonly graph: FlowGraph; readonly weak: readonly Span[] } {
  let made = graph;
  const weak: Span[] = [];
  for (const loop of findVoteLoops(graph, shape)) made = withWait(made, shape, loop, fresh, weak);
  return { graph: made, weak };
}

function withWait(graph: FlowGraph, { flow }: FlowShape, loop: VoteLoop, fresh: FreshNames, weak: Span[]): FlowGraph {
  const { head, before, block, at, vote } = loop;
  // The code before the vote as a separate loop, which ends when this lane would vote yes.
  const copied = [...before, block].toSorted((a, b) => elementAt(flow.place, a) - elementAt(flow.place, b));
  const copies = new Map(copied.map((id, index) => [id, graph.blocks.length + index]));
  const copy = (id: FlowBlockId): FlowBlockId => copies.get(id) ?? id;
  const round = copied.map((id): FlowBlock => {
    const { body, end } = elementAt(graph.blocks, id);
    if (id !== block) return { body, end: mapFlowTargets(end, copy) };
    const says: FlowEnd = {
      kind: 'branch',
      condition: vote.value ?? constant('bool', true),
      then: head,
      else: copy(head),
      span: vote.span,
    };
    return { body: body.slice(0, at), end: says };
  });
  const looking = { blocks: [...graph.blocks, ...round] };
  const look = lookLoop(looking, copy(head), copied.map(copy));
  const polled = polledBy(looking, look);
  if (polled.kind !== 'ordered' && polled.kind !== 'weak') return graph;
  weak.push(...(polled.kind === 'weak' ? [polled.span] : polled.weak));
  const wait = waitBlock(looking, look, fresh, polled.span);
  // All paths into the loop, and back to its head, pass through the wait.
  const blocks = graph.blocks.map((one): FlowBlock => ({
    ...one,
    end: mapFlowTargets(one.end, (to) => (to === head ? graph.blocks.length : to)),
  }));
  return { blocks: [...blocks, wait] };
}

function findVoteLoops(graph: FlowGraph, shape: FlowShape): readonly VoteLoop[] {
  const members = new Map<FlowBlockId, FlowBlockId[]>();
  const isOuter = new Set<FlowBlockId>();
  for (const block of shape.flow.order) {
    const loop = shape.loopOf(block);
    if (loop === -1) continue;
    const known = members.get(loop);
    if (known === undefined) members.set(loop, [block]);
    else known.push(block);
    if (loop === block) isOuter.add(elementAt(shape.around, block));
  }
  const found: VoteLoop[] = [];
  for (const [head, blocks] of members) {
    const loop = head === 0 || isOuter.has(head) ? undefined : voteLoop(graph, head, blocks);
    if (loop !== undefined && !carries(graph, shape, loop)) found.push(loop);
  }
  return found;
}

/**
 * The loop of these blocks, if it only reads and contains a vote of all lanes that decides its end.
 */
function voteLoop(graph: FlowGraph, head: FlowBlockId, blocks: readonly FlowBlockId[]): VoteLoop | undefined {
  let found: Omit<VoteLoop, 'head' | 'before'> | undefined;
  for (const block of blocks) {
    for (const [at, s] of elementAt(graph.blocks, block).body.entries()) {
      if (onlyLooks([s])) continue;
      if (s.kind !== 'collective' || s.op !== 'all' || found !== undefined) return undefined;
      found = { block, at, vote: s };
    }
  }
  if (found === undefined) return undefined;
  const { block, at, vote } = found;
  const inside = new Set(blocks);
  const { body, end } = elementAt(graph.blocks, block);
  const fromVote = dependents([body.slice(at)], (s) => s === vote);
  const decision = flowDecision(end);
  const leaves = flowTargets(end).some((to) => !inside.has(to));
  if (decision === undefined || !leaves || ![...readLocals(decision)].some((id) => fromVote.has(id))) return undefined;
  const before = blocksBefore(graph, head, block);
  if ([...before].some((id) => !inside.has(id))) return undefined;
  const rounds = [...[...before].map((id) => elementAt(graph.blocks, id).body), body.slice(0, at)];
  const fromFlag = dependents(rounds, (s) => s.kind === 'load' && isShared(s));
  return [...statementReads(vote)].some((id) => fromFlag.has(id)) ? { head, before, block, at, vote } : undefined;
}

/** The blocks that are reachable from the head without going through the vote's block. */
function blocksBefore(graph: FlowGraph, head: FlowBlockId, vote: FlowBlockId): ReadonlySet<FlowBlockId> {
  const before = new Set<FlowBlockId>(head === vote ? [] : [head]);
  for (const id of before)
    for (const to of flowTargets(elementAt(graph.blocks, id).end)) if (to !== vote) before.add(to);
  return before;
}

/** True if a round depends on the locals that the reads set, so another read would change it. */
function carries(graph: FlowGraph, shape: FlowShape, { head, before, block, at }: VoteLoop): boolean {
  const bodies = [
    ...[...before].map((id) => elementAt(graph.blocks, id).body),
    elementAt(graph.blocks, block).body.slice(0, at),
  ];
  const sets = new Set<LocalId>(bodies.flatMap((body) => [...assignedLocals(body)]));
  const live = findLiveLocals(graph, shape.flow, sets);
  return [...sets].some((id) => live.isLiveInto(head, id));
}
