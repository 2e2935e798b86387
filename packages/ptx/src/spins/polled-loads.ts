import { readLocals, statementReads, statementTarget, walkBody } from '@nccl-ts/ir';
import type { Body, LoadStatement, LocalId, Span } from '@nccl-ts/ir';
import { elementAt } from '../flow/element-at.ts';
import { flowDecision, flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlockId, FlowGraph } from '../flow/flow-graph.ts';
import type { LookLoop } from './look-loop.ts';

/** What decides when a loop ends. */
export type Polled =
  /** Ordered loads, perhaps beside other things. `span` is that of the first branch on one. */
  | { readonly kind: 'ordered'; readonly span: Span }
  /** No ordered load, but a plain one of memory that others write. */
  | { readonly kind: 'weak'; readonly span: Span }
  | { readonly kind: 'clock'; readonly span: Span }
  | { readonly kind: 'nothing' };

/** Finds what the branches of `loop` depend on. */
export function polledBy(graph: FlowGraph, loop: LookLoop): Polled {
  const bodies = loop.blocks.map((id) => elementAt(graph.blocks, id).body);
  const ordered = deciding(
    graph,
    loop,
    dependents(bodies, (s) => s.kind === 'load' && isShared(s) && s.access !== undefined),
  );
  if (ordered !== undefined) return { kind: 'ordered', span: elementAt(graph.blocks, ordered).end.span };
  for (const load of loadsOf(bodies)) {
    if (!isShared(load)) continue;
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

/** Whether others may write what is loaded. */
function isShared({ pointer: { type } }: LoadStatement): boolean {
  return type.kind === 'pointer' && type.space !== 'local';
}

function loadsOf(bodies: readonly Body[]): readonly LoadStatement[] {
  const loads: LoadStatement[] = [];
  for (const body of bodies) {
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'load') loads.push(s);
      },
    });
  }
  return loads;
}

/** The locals whose values follow from what the wanted statements set. */
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

/** The first block of `loop` that branches on one of `locals`, where that may decide whether the loop ends. */
function deciding(graph: FlowGraph, loop: LookLoop, locals: ReadonlySet<LocalId>): FlowBlockId | undefined {
  return loop.blocks.find((id) => {
    const { end } = elementAt(graph.blocks, id);
    const decision = flowDecision(end);
    if (decision === undefined || flowTargets(end).length < 2) return false;
    return [...readLocals(decision)].some((local) => locals.has(local));
  });
}
