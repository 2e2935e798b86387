import { mapBody, mayFault, readLocals, statementReads, statementTarget, walkBody } from '@nccl-ts/ir';
import type { LocalId, Statement } from '@nccl-ts/ir';
import { elementAt } from '../flow/element-at.ts';
import { flowDecision, flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';
import type { LiveLocals } from '../flow/live-locals.ts';
import { carriedBy } from './carried.ts';
import type { LookLoop } from './look-loop.ts';
import { dependents, polledBy } from './polled-loads.ts';

/**
 * The graph without counters of rounds that decide nothing but how often a loop looks at a further word, as in
 * `while (ld(flag) != x) if (++n > K) { n = 0; if (ld(abort)) break; }`: each round looks there. A run in which rounds do not look has
 * the same outcome as one in which they look and find nothing, and a loop that goes on for long comes to look.
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
  const changed = new Map<FlowBlockId, FlowBlock>();
  for (const id of loop.blocks) {
    const block = elementAt(graph.blocks, id);
    const body = mapBody(block.body, {
      statement: (s) => (s.kind === 'assign' && counts.has(s.local) ? [] : s),
    });
    let { end } = block;
    if (reads(flowDecision(end), counts)) {
      const looks = lookingSide(graph, loop, end, counts);
      if (looks === undefined) return undefined;
      end = { kind: 'jump', to: looks, span: end.span };
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

/**
 * The side of a branch on a counter that looks at something and then, unless the loop ends by what it saw, comes to the other side.
 * `undefined` where no side does.
 */
function lookingSide(
  graph: FlowGraph,
  loop: LookLoop,
  end: FlowEnd,
  counts: ReadonlySet<LocalId>,
): FlowBlockId | undefined {
  if (end.kind !== 'branch') return undefined;
  if (loop.has(end.else) && comesTo(graph, loop, end.then, end.else, counts)) return end.then;
  return loop.has(end.then) && comesTo(graph, loop, end.else, end.then, counts) ? end.else : undefined;
}

/** Whether all that leads on from `side` leads to `other`, or out of the loop where something was read that was loaded on the way. */
function comesTo(
  graph: FlowGraph,
  loop: LookLoop,
  side: FlowBlockId,
  other: FlowBlockId,
  counts: ReadonlySet<LocalId>,
): boolean {
  if (side === other || !loop.has(side) || side === loop.head) return false;
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
        if (decision === undefined || reads(decision, counts) || !reads(decision, loaded)) return false;
      } else if (to === loop.head) return false;
      else seen.add(to);
    }
  }
  return true;
}
