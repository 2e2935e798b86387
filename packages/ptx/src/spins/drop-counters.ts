import { mapBody, mayFault, readLocals, statementReads, statementTarget, walkBody } from '@nccl-ts/ir';
import type { Expression, LocalId, Statement } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowDecision, flowTargets, mapFlowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph, FreshNames } from '../flow/flow-graph.ts';
import type { LiveLocals } from '../flow/live-locals.ts';
import type { FlowShape } from '../flow/loops.ts';
import { negate } from '../negate.ts';
import { carriedBy } from './carried.ts';
import type { LookLoop } from './look-loop.ts';
import { dependents, polledBy } from './polled-loads.ts';
import { givesUp, recurs, roundCounter, type RoundCounter } from './round-counter.ts';
import { RoundTimer } from './round-timer.ts';

/**
 * Removes counters of rounds that only decide how often a loop reads another word, as in `while
 * (ld(flag) != x) if (++n > K) { n = 0; if (ld(abort)) break; }`. Each round then reads the word.
 * That is equivalent: a round that reads the word without a result is like one that does not read
 * it, and a long-running loop reads it repeatedly anyway.
 *
 * If a loop gives up after very many rounds, or after as many as the launch says, it gives up by
 * the clock instead, because no program relies on the duration. So it becomes a timed wait. A check
 * explores only runs in which it times out when no thread can continue.
 *
 * Loops that give up after few rounds, or whose counter is read afterwards, do not change.
 */
export function dropCounters(
  graph: FlowGraph,
  shape: FlowShape,
  loops: readonly LookLoop[],
  live: LiveLocals,
  fresh: FreshNames,
): FlowGraph {
  let blocks: FlowBlock[] | undefined;
  for (const loop of loops) {
    const times = new RoundTimer(fresh);
    const changed = withoutCounters(graph, loop, live, times);
    if (changed === undefined || (times.isUsed && loop.head === 0)) continue;
    blocks ??= [...graph.blocks];
    for (const [id, block] of changed) blocks[id] = block;
    if (!times.isUsed) continue;
    const { span } = elementAt(graph.blocks, loop.head).end;
    const before = blocks.push({ body: [times.start(span)], end: { kind: 'jump', to: loop.head, span } }) - 1;
    for (const from of elementAt(shape.flow.forward, loop.head)) {
      const block = elementAt(blocks, from);
      blocks[from] = { ...block, end: mapFlowTargets(block.end, (to) => (to === loop.head ? before : to)) };
    }
  }
  return blocks === undefined ? graph : { blocks };
}

/** The changed blocks of `loop`; `undefined` if there is no counter, or one that must stay. */
function withoutCounters(
  graph: FlowGraph,
  loop: LookLoop,
  live: LiveLocals,
  times: RoundTimer,
): ReadonlyMap<FlowBlockId, FlowBlock> | undefined {
  const carried = carriedBy(loop, live);
  if (carried.size === 0 || polledBy(graph, loop).kind !== 'ordered') return undefined;
  const bodies = loop.blocks.map((id) => elementAt(graph.blocks, id).body);
  const counts = dependents(bodies, () => false, carried);
  if (
    !onlyCount(graph, loop, counts) ||
    loop.exits.some((exit) => [...counts].some((id) => live.isLiveInto(exit, id)))
  ) {
    return undefined;
  }
  const counter = roundCounter(graph, loop, counts);
  const changed = new Map<FlowBlockId, FlowBlock>();
  for (const id of loop.blocks) {
    const block = elementAt(graph.blocks, id);
    let body = mapBody(block.body, {
      statement: (s) => (s.kind === 'assign' && counts.has(s.local) ? [] : s),
    });
    let { end } = block;
    if (reads(flowDecision(end), counts)) {
      const to = idleSide(graph, loop, end, counts) ?? (counter && lookingSide(graph, loop, end, counter));
      const limit = to === undefined && counter !== undefined ? givesUp(graph, loop, end, counter) : undefined;
      if (to !== undefined) {
        end = { kind: 'jump', to, span: end.span };
      } else if (limit !== undefined) {
        body = [...body, times.look(end.span)];
        end = {
          kind: 'branch',
          condition: times.isLate(end.span),
          then: limit.exit,
          else: limit.stays,
          span: end.span,
        };
      } else return undefined;
    }
    changed.set(id, { body, end });
  }
  return changed;
}

function reads(decision: ReturnType<typeof flowDecision>, locals: ReadonlySet<LocalId>): boolean {
  return decision !== undefined && [...readLocals(decision)].some((id) => locals.has(id));
}

/**
 * True if locals are set only from themselves and from values that the loop does not set, and read
 * only by branches.
 */
function onlyCount(graph: FlowGraph, loop: LookLoop, counts: ReadonlySet<LocalId>): boolean {
  const isFixed = (id: LocalId): boolean => counts.has(id) || !loop.sets.has(id);
  const mayCount = (s: Statement): boolean => {
    const target = statementTarget(s);
    if (target !== undefined && counts.has(target)) {
      return s.kind === 'assign' && !mayFault(s.value) && [...readLocals(s.value)].every(isFixed);
    }
    return [...statementReads(s)].every((id) => !counts.has(id));
  };
  let counting = true;
  for (const id of loop.blocks) {
    const { body, end } = elementAt(graph.blocks, id);
    walkBody(body, {
      statement: (s) => {
        counting &&= mayCount(s);
      },
    });
    const decision = flowDecision(end);
    if (decision === undefined || !reads(decision, counts)) continue;
    counting &&= !mayFault(decision) && [...readLocals(decision)].every(isFixed);
  }
  return counting;
}

/** The side of a branch that only counts and then joins the other side. */
function idleSide(
  graph: FlowGraph,
  loop: LookLoop,
  end: FlowEnd,
  counts: ReadonlySet<LocalId>,
): FlowBlockId | undefined {
  if (end.kind !== 'branch') return undefined;
  const counted = (side: FlowBlockId, other: FlowBlockId): boolean => {
    let at = side;
    while (at !== other) {
      const { body, end: next } = elementAt(graph.blocks, at);
      const onlyCounts = body.every((s) => s.kind === 'assign' && counts.has(s.local));
      if (!loop.has(at) || at === loop.head || next.kind !== 'jump' || !onlyCounts) return false;
      at = next.to;
    }
    return true;
  };
  if (counted(end.then, end.else)) return end.else;
  return counted(end.else, end.then) ? end.then : undefined;
}

/**
 * The side of a branch on a counter that reads memory and then joins the other side, unless it ends
 * the loop. `undefined` if there is no such side, or if the loop need not take it repeatedly.
 */
function lookingSide(graph: FlowGraph, loop: LookLoop, end: FlowEnd, counter: RoundCounter): FlowBlockId | undefined {
  if (end.kind !== 'branch') return undefined;
  const { condition, then, else: otherwise } = end;
  const looks = (side: FlowBlockId, other: FlowBlockId, taken: Expression): boolean => {
    const behind = loop.has(other) ? lookingBlocks(graph, loop, side, other, counter.locals) : undefined;
    return behind !== undefined && recurs(counter, taken, behind);
  };
  if (looks(then, otherwise, condition)) return then;
  return looks(otherwise, then, negate(condition)) ? otherwise : undefined;
}

/**
 * The blocks on the paths from `side` to `other`. `undefined` if a path leads elsewhere, except for
 * exits from the loop that depend on values loaded on the path.
 */
function lookingBlocks(
  graph: FlowGraph,
  loop: LookLoop,
  side: FlowBlockId,
  other: FlowBlockId,
  counts: ReadonlySet<LocalId>,
): ReadonlySet<FlowBlockId> | undefined {
  if (side === other || !loop.has(side) || side === loop.head) return undefined;
  const seen = new Set<FlowBlockId>([side]);
  const loaded = new Set<LocalId>();
  // The blocks of a loop are in the order in which a round visits them.
  for (const id of loop.blocks) {
    if (!seen.has(id)) continue;
    const { body, end } = elementAt(graph.blocks, id);
    for (const local of dependents([body], (s) => s.kind === 'load', loaded)) loaded.add(local);
    const decision = flowDecision(end);
    for (const to of flowTargets(end)) {
      if (to === other) continue;
      if (!loop.has(to)) {
        if (decision === undefined || reads(decision, counts) || !reads(decision, loaded)) return undefined;
      } else if (to === loop.head) return undefined;
      else seen.add(to);
    }
  }
  return seen;
}
