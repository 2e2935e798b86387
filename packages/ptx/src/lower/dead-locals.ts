import {
  local,
  mapBody,
  mayFault,
  walkBody,
  walkExpression,
  type Body,
  type Expression,
  type Local,
  type LocalId,
  type Statement,
} from '@nccl-ts/ir';
import type { FlowBlock, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';

/** The graph without assignments of what nothing reads. */
export function dropDeadAssignments(graph: FlowGraph): FlowGraph {
  let blocks = graph.blocks;
  for (;;) {
    const read = readIn(blocks);
    let dropped = false;
    const next = blocks.map((block): FlowBlock => {
      const body = mapBody(block.body, {
        statement: (statement) => {
          if (!isDead(statement, read)) return statement;
          dropped = true;
          return [];
        },
      });
      return body === block.body ? block : { ...block, body };
    });
    if (!dropped) return { blocks };
    blocks = next;
  }
}

function isDead(statement: Statement, read: ReadonlySet<LocalId>): boolean {
  if (statement.kind === 'assign') return !read.has(statement.local) && !mayFault(statement.value);
  if (statement.kind === 'if') {
    return statement.then.length === 0 && statement.else.length === 0 && !mayFault(statement.condition);
  }
  return statement.kind === 'clock' && !read.has(statement.local);
}

function readIn(blocks: readonly FlowBlock[]): ReadonlySet<LocalId> {
  const read = new Set<LocalId>();
  const visit = (expression: Expression): void => {
    if (expression.kind === 'local') read.add(expression.local);
  };
  for (const { body, end } of blocks) {
    walkBody(body, { expression: visit });
    const value = valueOfEnd(end);
    if (value !== undefined) walkExpression(value, visit);
  }
  return read;
}

function valueOfEnd(end: FlowEnd): Expression | undefined {
  return end.kind === 'branch' ? end.condition : end.kind === 'switch' ? end.index : undefined;
}

/** A body and its locals, without those that occur nowhere in it. */
export function dropUnusedLocals(
  body: Body,
  locals: readonly Local[],
): { readonly body: Body; readonly locals: readonly Local[] } {
  const used = new Set<LocalId>();
  mapBody(body, {
    target: (id) => {
      used.add(id);
      return id;
    },
    expression: (expression) => {
      if (expression.kind === 'local') used.add(expression.local);
      return expression;
    },
  });
  const kept: Local[] = [];
  const numbers = new Map<LocalId, LocalId>();
  locals.forEach((declared, id) => {
    if (used.has(id)) numbers.set(id, kept.push(declared) - 1);
  });
  const renamed = (id: LocalId): LocalId => numbers.get(id) ?? id;
  return {
    locals: kept,
    body: mapBody(body, {
      target: renamed,
      expression: (expression) =>
        expression.kind === 'local' ? local(renamed(expression.local), expression.type, expression.span) : expression,
    }),
  };
}
