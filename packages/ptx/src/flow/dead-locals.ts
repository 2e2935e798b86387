import { mapBody, mayFault, readLocals, statementReads, walkBody } from '@nccl-ts/ir';
import type { Body, LocalId, Statement } from '@nccl-ts/ir';
import { flowDecision } from './flow-ends.ts';
import type { FlowBlock, FlowGraph } from './flow-graph.ts';

/**
 * The graph without assignments to locals that decide nothing: no statement with an effect, no branch and no address depends on
 * them. A pause that doubles from round to round is such a local once the pause itself is gone. Assignments that may fault stay.
 */
export function removeDeadLocals(graph: FlowGraph): FlowGraph {
  const needed = neededLocals(graph);
  let changed = false;
  const blocks = graph.blocks.map((block): FlowBlock => {
    const body = withoutDead(block.body, needed);
    if (body === block.body) return block;
    changed = true;
    return { ...block, body };
  });
  return changed ? { blocks } : graph;
}

function withoutDead(body: Body, needed: ReadonlySet<LocalId>): Body {
  return mapBody(body, {
    statement: (s) => {
      if (isDroppable(s) && !needed.has(s.local)) return [];
      return s.kind === 'if' && s.then.length + s.else.length === 0 && !mayFault(s.condition) ? [] : s;
    },
  });
}

function isDroppable(s: Statement): s is Extract<Statement, { readonly kind: 'assign' | 'clock' }> {
  return s.kind === 'clock' || (s.kind === 'assign' && !mayFault(s.value));
}

/** What anything depends on but an assignment to a local that nothing depends on. */
function neededLocals({ blocks }: FlowGraph): ReadonlySet<LocalId> {
  const needed = new Set<LocalId>();
  const sources = new Map<LocalId, Set<LocalId>>();
  const add = (reads: Iterable<LocalId>): void => {
    for (const id of reads) needed.add(id);
  };
  for (const { body, end } of blocks) {
    walkBody(body, {
      statement: (s) => {
        if (!isDroppable(s)) {
          add(statementReads(s));
          return;
        }
        const reads = sources.get(s.local) ?? new Set();
        sources.set(s.local, reads);
        for (const id of statementReads(s)) reads.add(id);
      },
    });
    const decision = flowDecision(end);
    if (decision !== undefined) add(readLocals(decision));
  }
  // A set hands out what is added to it meanwhile.
  for (const id of needed) add(sources.get(id) ?? []);
  return needed;
}
