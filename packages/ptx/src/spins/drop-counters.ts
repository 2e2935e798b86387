import { mapBody, mayFault, readLocals, statementReads, statementTarget, walkBody } from '@nccl-ts/ir';
import type { Expression, LocalId, Statement } from '@nccl-ts/ir';
import { elementAt } from '../flow/element-at.ts';
import { flowDecision, flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';
import type { LiveLocals } from '../flow/live-locals.ts';
import { negate } from '../structure/negate.ts';
import { carriedBy } from './carried.ts';
import type { LookLoop } from './look-loop.ts';
import { dependents, polledBy } from './polled-loads.ts';
import { recurs, roundCounter, type RoundCounter } from './round-counter.ts';

/**
 * The graph without counters of rounds that decide nothing but how often a loop looks at a further word, as in
 * `while (ld(flag) != x) if (++n > K) { n = 0; if (ld(abort)) break; }`: each round looks there. A run in which rounds do not look has
 * the same outcome as one in which they look and find nothing, and a loop that goes on for long comes to look again and again.
 *
 * Loops stay as they are that a counter may end by itself, or whose counter is read afterwards.
 */
export function dropCounters(graph: FlowGraph, loops: readonly LookLoop[], live: LiveLocals): FlowGraph {
  const changed = new Map<FlowBlockId, FlowBlock>();
  for (const loop of loops) {
    for (const [id, block] of withoutCounters(graph, loop, live) ?? []) changed.set(id, block);
  }
  if (changed.size === 0) return graph;
  return { blocks: graph.blocks.map((block, id) => changed.get(id) ?? block) };
}

/** The blocks of `loop` that change; `undefined` where there is no counter, or one that has to stay. */
function withoutCounters(
  graph: FlowGraph,
  loop: LookLoop,
  live: LiveLocals,
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
    const body = mapBody(block.body, {
      statement: (s) => (s.kind === 'assign' && counts.has(s.local) ? [] : s),
    });
    let { end } = block;
    if (reads(flowDecision(end), counts)) {
      const to = idleSide(graph, loop, end, counts) ?? (counter && lookingSide(graph, loop, end, counter));
      if (to === undefined) return undefined;
      end = { kind: 'jump', to, span: end.span };
    }
    changed.set(id, { body, end });
  }
  return changed;
}

function reads(decision: ReturnType<typeof flowDecision>, locals: ReadonlySet<LocalId>): boolean {
  return decision !== undefined && [...readLocals(decision)].some((id) => locals.has(id));
}

/** Whether locals are set to nothing but what they themselves and what the loop does not set give, and read for nothing but branches. */
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

/** The side of a branch that the other side leads to, where it does nothing but count. */
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
 * The side of a branch on a counter that looks at something and then, unless the loop ends by what it saw, comes to the other side.
 * `undefined` where no side does, or one that the loop need not take again and again.
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
 * The blocks on the ways from `side` to `other`. `undefined` where a way leads elsewhere, but for those out of the loop that follow from
 * what was loaded on the way.
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
  // Blocks of a loop stand in the order in which a round comes by them.
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
