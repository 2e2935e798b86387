import { type MemoryOrder, at as elementAt } from '@nccl-ts/core';
import { loadsIn, readLocals, statementReads, statementTarget, walkExpression } from '@nccl-ts/ir';
import type { Body, Expression, LoadStatement, LocalId, Span } from '@nccl-ts/ir';
import { flowDecision, flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import type { LookLoop } from './look-loop.ts';

/** The loads that decide when a loop ends. */
export type Polled =
  /**
   * Ordered loads, perhaps with others. `span` is that of the first branch on one. `weak` are the
   * spans of plain loads that the loop also waits for, if nothing in the loop forces another load.
   */
  | { readonly kind: 'ordered'; readonly span: Span; readonly weak: readonly Span[] }
  /** No ordered load, but a plain one of memory that other threads write. */
  | { readonly kind: 'weak'; readonly span: Span }
  | { readonly kind: 'clock'; readonly span: Span }
  | { readonly kind: 'nothing' };

/** Finds the values that the branches of `loop` depend on. */
export function polledBy(graph: FlowGraph, loop: LookLoop): Polled {
  const bodies = loop.blocks.map((id) => elementAt(graph.blocks, id).body);
  const fromOrdered = dependents(bodies, (s) => s.kind === 'load' && isShared(s) && s.access !== undefined);
  const ordered = deciding(graph, loop, fromOrdered);
  const loads = bodies.flatMap((body) => loadsIn(body)).filter(isShared);
  if (ordered !== undefined) {
    const weak = loads.some(({ access }) => access !== undefined && acquires(access.order))
      ? []
      : loads.filter((load) => load.access === undefined && isComparedAlone(graph, loop, bodies, load, fromOrdered));
    return { kind: 'ordered', span: elementAt(graph.blocks, ordered).end.span, weak: weak.map(({ span }) => span) };
  }
  for (const load of loads) {
    const weak = deciding(
      graph,
      loop,
      dependents(bodies, (s) => s === load),
    );
    if (weak !== undefined) return { kind: 'weak', span: load.span };
  }
  const timed = deciding(
    graph,
    loop,
    dependents(bodies, (s) => s.kind === 'clock'),
  );
  return timed === undefined ? { kind: 'nothing' } : { kind: 'clock', span: elementAt(graph.blocks, timed).end.span };
}

/** After a load of this order, a round must repeat its later loads. */
function acquires(order: MemoryOrder): boolean {
  return order === 'acquire' || order === 'acq_rel' || order === 'seq_cst';
}

/**
 * True if the end of the loop depends on comparing the plain `load` with a value that does not come
 * from an ordered load. A plain value that is compared with an ordered load is only the awaited
 * value.
 */
function isComparedAlone(
  graph: FlowGraph,
  loop: LookLoop,
  bodies: readonly Body[],
  load: LoadStatement,
  fromOrdered: ReadonlySet<LocalId>,
): boolean {
  const fromLoad = dependents(bodies, (s) => s === load);
  const compares = (expression: Expression): boolean => {
    let found = false;
    walkExpression(expression, (one) => {
      if (one.kind !== 'compare') return !found;
      const reads = [...readLocals(one)];
      found ||= reads.some((id) => fromLoad.has(id)) && !reads.some((id) => fromOrdered.has(id));
      return !found;
    });
    return found;
  };
  const decides = loop.blocks.some((id) => {
    const { end } = elementAt(graph.blocks, id);
    const decision = flowDecision(end);
    return decision !== undefined && flowTargets(end).length > 1 && compares(decision);
  });
  if (decides) return true;
  const compared = dependents(bodies, (s) => s.kind === 'assign' && compares(s.value));
  return compared.size > 0 && deciding(graph, loop, compared) !== undefined;
}

/** True if other threads may write the loaded memory. */
export function isShared({ pointer: { type } }: LoadStatement): boolean {
  return type.kind === 'pointer' && type.space !== 'local';
}

/** The locals whose values depend on those that the wanted statements set. */
export function dependents(
  bodies: readonly Body[],
  isWanted: (s: Body[number]) => boolean,
  more: Iterable<LocalId> = [],
): ReadonlySet<LocalId> {
  const found = new Set<LocalId>(more);
  const visit = (body: Body, guarded: boolean): void => {
    for (const s of body) {
      const follows = guarded || [...statementReads(s)].some((id) => found.has(id));
      const target = statementTarget(s);
      if (target !== undefined && (follows || isWanted(s))) found.add(target);
      if (s.kind !== 'if') continue;
      visit(s.then, follows);
      visit(s.else, follows);
    }
  };
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const body of bodies) visit(body, false);
  }
  return found;
}

/** The first block of `loop` that branches on one of `locals`, if that may end the loop. */
function deciding(graph: FlowGraph, loop: LookLoop, locals: ReadonlySet<LocalId>): FlowBlockId | undefined {
  return loop.blocks.find((id) => {
    const { end } = elementAt(graph.blocks, id);
    const decision = flowDecision(end);
    if (decision === undefined || flowTargets(end).length < 2) return false;
    return [...readLocals(decision)].some((local) => locals.has(local));
  });
}
