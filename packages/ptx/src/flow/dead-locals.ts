import { mapBody, mayFault, readLocals, statementReads, walkBody } from '@nccl-ts/ir';
import type { Body, LocalId, Statement } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowDecision } from './flow-ends.ts';
import type { FlowBlock, FlowBlockId, FlowEnd, FlowGraph } from './flow-graph.ts';

/**
 * Removes assignments to locals on which no statement with an effect, no branch and no address
 * depends. One example is a pause that doubles in each round, after the pause itself was removed.
 * Another is a counter that is reset at a limit. Branches whose sides only set such locals are
 * removed too. Assignments that may fault stay.
 */
export function removeDeadLocals(graph: FlowGraph): FlowGraph {
  const { needed, idle } = neededLocals(graph);
  let changed = false;
  const blocks = graph.blocks.map((block, id): FlowBlock => {
    const body = withoutDead(block.body, needed);
    const to = idle.get(id);
    if (body === block.body && to === undefined) return block;
    changed = true;
    return { body, end: to === undefined ? block.end : { kind: 'jump', to, span: block.end.span } };
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

interface Needed {
  /** The locals on which anything depends except assignments to unneeded locals. */
  readonly needed: ReadonlySet<LocalId>;
  /**
   * For each block that ends in a branch without effect: the block at which both of its sides join.
   */
  readonly idle: ReadonlyMap<FlowBlockId, FlowBlockId>;
}

function neededLocals(graph: FlowGraph): Needed {
  const { blocks } = graph;
  const needed = new Set<LocalId>();
  const sources = new Map<LocalId, Set<LocalId>>();
  const idle = new Map<FlowBlockId, JoinPoint>();
  const add = (reads: Iterable<LocalId>): void => {
    for (const id of reads) needed.add(id);
  };
  for (const [id, { body, end }] of blocks.entries()) {
    walkBody(body, {
      statement: (s) => {
        if (!isDroppable(s)) {
          add(statementReads(s));
          return;
        }
        const reads = sources.get(s.local) ?? new Set();
        sources.set(s.local, reads);
        for (const read of statementReads(s)) reads.add(read);
      },
    });
    const decision = flowDecision(end);
    if (decision === undefined) continue;
    const meeting = mayFault(decision) ? undefined : meetingOf(graph, end);
    if (meeting === undefined) add(readLocals(decision));
    else idle.set(id, meeting);
  }
  for (let before = -1; before !== idle.size;) {
    before = idle.size;
    // Iterating a set also visits the items that are added meanwhile.
    for (const id of needed) add(sources.get(id) ?? []);
    for (const [id, { sets }] of idle) {
      if (!sets.some((one) => needed.has(one))) continue;
      idle.delete(id);
      const decision = flowDecision(elementAt(blocks, id).end);
      if (decision !== undefined) add(readLocals(decision));
    }
  }
  return { needed, idle: new Map([...idle].map(([id, { at }]) => [id, at])) };
}

/** The block at which the sides of a branch join after only setting locals. */
interface JoinPoint {
  readonly at: FlowBlockId;
  readonly sets: readonly LocalId[];
}

function meetingOf(graph: FlowGraph, end: FlowEnd): JoinPoint | undefined {
  if (end.kind !== 'branch') return undefined;
  const [one, other] = [pathFrom(graph, end.then), pathFrom(graph, end.else)];
  const at = one.find((id) => other.includes(id));
  if (at === undefined) return undefined;
  const passed = [...one.slice(0, one.indexOf(at)), ...other.slice(0, other.indexOf(at))];
  const sets = passed.flatMap((id) => elementAt(graph.blocks, id).body.flatMap((s) => (isDroppable(s) ? s.local : [])));
  return { at, sets };
}

/** The longest path without an effect. Every branch has two, so that long ones would take long. */
const MOST_PATH = 64;

/**
 * The blocks that control passes through from a block on, up to the first that does more than set
 * locals.
 */
function pathFrom({ blocks }: FlowGraph, start: FlowBlockId): readonly FlowBlockId[] {
  const path: FlowBlockId[] = [];
  for (let at = start; path.length < MOST_PATH && !path.includes(at);) {
    path.push(at);
    const { body, end } = elementAt(blocks, at);
    if (end.kind !== 'jump' || !body.every(isDroppable)) break;
    at = end.to;
  }
  return path;
}
