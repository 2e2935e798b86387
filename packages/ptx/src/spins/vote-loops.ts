import {
  assignedLocals,
  constant,
  evaluateConstant,
  readLocals,
  statementReads,
  substituteLocals,
  type Expression,
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
  readonly blocks: readonly FlowBlockId[];
  /** The blocks of a round before the block of the vote. */
  readonly before: ReadonlySet<FlowBlockId>;
  /** The block of the vote, and the index of the vote in it. */
  readonly block: FlowBlockId;
  readonly at: number;
  readonly vote: Vote;
}

/**
 * Adds a wait before each round of `while (!all(ld(flag) == x))`. In it, each lane waits for the
 * value that it votes on. If a lane's flag is never set, the lane is reported as waiting for it.
 *
 * Often the vote alone decides that the loop ends. Then the lanes meet at the vote, and each waits
 * for its value again instead of voting on it: the last round of the loop reads the flags of all
 * lanes. A flag that was reset before that is missed in both forms. Rounds that fail have no
 * effect, so no loop is left, nor a time limit after which the kernel would trap: the wait is
 * reported instead. Other loops read again and vote, and a vote fails only if a flag that was set
 * is reset.
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
  const copied = [...before, block].toSorted((a, b) => elementAt(flow.index, a) - elementAt(flow.index, b));
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
  const exit = look.exits.length === 1 ? onlyExit(graph, loop) : undefined;
  if (exit !== undefined) {
    const { span } = vote;
    const said: Statement = { ...vote, value: constant('bool', true) };
    const again = waitBlock(looking, look, fresh, polled.span);
    const rest = elementAt(graph.blocks, block).body.slice(at + 1);
    const made = { body: [...wait.body, said, ...again.body, ...rest], end: { kind: 'jump', to: exit, span } } as const;
    return { blocks: [...graph.blocks.map(entering(head, graph.blocks.length)), made] };
  }
  // All paths into the loop, and back to its head, pass through the wait.
  return { blocks: [...graph.blocks.map(entering(head, graph.blocks.length)), wait] };
}

/** Leads the paths to `head` to block `wait` instead. */
function entering(head: FlowBlockId, wait: FlowBlockId): (block: FlowBlock) => FlowBlock {
  return (block) => ({ ...block, end: mapFlowTargets(block.end, (to) => (to === head ? wait : to)) });
}

/**
 * The block after the loop if the vote says yes. `undefined` if the vote alone does not decide, or
 * if the kernel can go on in another way, such as after a time limit that is no failure.
 */
function onlyExit(graph: FlowGraph, loop: VoteLoop): FlowBlockId | undefined {
  const exit = exitOfVote(graph, loop);
  const others = loop.blocks
    .flatMap((id) => flowTargets(elementAt(graph.blocks, id).end))
    .filter((to) => to !== exit && !loop.blocks.includes(to));
  return others.every((to) => traps(graph, to)) ? exit : undefined;
}

/** True if the block, or one that it jumps to, surely traps. */
function traps(graph: FlowGraph, id: FlowBlockId): boolean {
  const { body, end } = elementAt(graph.blocks, id);
  if (body.some((s) => s.kind === 'assert' && s.condition.kind === 'constant' && s.condition.value === false))
    return true;
  return end.kind === 'jump' && end.to > id && traps(graph, end.to);
}

function exitOfVote(graph: FlowGraph, { blocks, block, at, vote }: VoteLoop): FlowBlockId | undefined {
  const { body, end } = elementAt(graph.blocks, block);
  if (end.kind !== 'branch') return undefined;
  const values = new Map<LocalId, Expression>([[vote.local, constant('bool', true)]]);
  const known = (e: Expression): Expression => substituteLocals(e, (id) => values.get(id));
  for (const s of body.slice(at + 1)) {
    if (s.kind === 'assign') values.set(s.local, known(s.value));
    else for (const id of assignedLocals([s])) values.delete(id);
  }
  const [says] = evaluateConstant(known(end.condition)) ?? [];
  if (says === undefined) return undefined;
  const to = says ? end.then : end.else;
  const isOnly = blocks.every((id) => id === block || !flowTargets(elementAt(graph.blocks, id).end).includes(to));
  return blocks.includes(to) || !isOnly ? undefined : to;
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
  let found: Omit<VoteLoop, 'head' | 'blocks' | 'before'> | undefined;
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
  const exits = flowTargets(end).some((to) => !inside.has(to));
  if (decision === undefined || !exits || ![...readLocals(decision)].some((id) => fromVote.has(id))) return undefined;
  const before = blocksBefore(graph, head, block);
  if ([...before].some((id) => !inside.has(id))) return undefined;
  const rounds = [...[...before].map((id) => elementAt(graph.blocks, id).body), body.slice(0, at)];
  const fromFlag = dependents(rounds, (s) => s.kind === 'load' && isShared(s));
  return [...statementReads(vote)].some((id) => fromFlag.has(id))
    ? { head, blocks, before, block, at, vote }
    : undefined;
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
