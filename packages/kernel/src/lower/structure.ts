import {
  statementBodies,
  walkBody,
  type Body,
  type Expression,
  type IfStatement,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import { not } from './operator.ts';

/**
 * The limit for nested branches. Authors do not nest as deeply. Later passes recurse into branches,
 * and the host's stack is limited.
 */
export const MAX_BRANCHES = 500;

/**
 * Turns early exits into branches. Authors write `if (c) return; rest`, minifiers `if (!c) { rest
 * }`. Both become the second form, so that the IR and its uniformity do not depend on the build
 * tool.
 *
 * `tooDeep` is called, and must throw, if that leads to more than `MAX_BRANCHES` nested branches.
 */
export function branchOnExit(
  body: Body,
  isExit: (statement: Statement) => boolean,
  tooDeep: (span: Span) => never,
  depth = 0,
): Statement[] {
  const result: Statement[] = [];
  for (const [index, statement] of body.entries()) {
    if (isExit(statement)) return result;
    if (statement.kind !== 'if') {
      result.push(statement);
      continue;
    }
    const rest = body.slice(index + 1);
    const thenExits = alwaysExits(statement.then, isExit);
    const elseExits = alwaysExits(statement.else, isExit);
    if (rest.length > 0 && !thenExits && !elseExits) {
      result.push(statement);
      continue;
    }
    if (depth >= MAX_BRANCHES) tooDeep(statement.span);
    const inner = (arm: Body): Statement[] => branchOnExit(arm, isExit, tooDeep, depth + 1);
    const then = inner(thenExits ? statement.then : [...statement.then, ...rest]);
    const otherwise = inner(elseExits ? statement.else : [...statement.else, ...rest]);
    return [...result, ...branch(statement.condition, then, otherwise, statement.span)];
  }
  return result;
}

/** The span at which bodies are nested deeper than `most`, if there is one. */
export function deeperThan(body: Body, most: number): Span | undefined {
  let level = [...body];
  for (let depth = 0; level.length > 0; depth++) {
    const [first] = level;
    if (depth > most) return first?.span;
    level = level.flatMap((statement) => statementBodies(statement).flat());
  }
  return undefined;
}

function alwaysExits(body: Body, isExit: (statement: Statement) => boolean): boolean {
  const last = body.at(-1);
  if (last === undefined) return false;
  return isExit(last) || (last.kind === 'if' && alwaysExits(last.then, isExit) && alwaysExits(last.else, isExit));
}

/** An `if` whose first arm is not empty; no statement if both arms are empty. */
export function branch(condition: Expression, then: Body, otherwise: Body, span: Span): readonly IfStatement[] {
  if (then.length > 0) return [{ kind: 'if', condition, then, else: otherwise, span }];
  if (otherwise.length > 0) return [{ kind: 'if', condition: not(condition, span), then: otherwise, else: [], span }];
  return [];
}

/** Returns a block, or only its statements if none of them leaves the block early. */
export function block(label: number, body: Body, span: Span, tooDeep: (span: Span) => never): readonly Statement[] {
  const branched = branchOnExit(body, (statement) => statement.kind === 'leave' && statement.label === label, tooDeep);
  let left = false;
  walkBody(branched, {
    statement: (statement) => {
      if (statement.kind === 'leave' && statement.label === label) left = true;
    },
  });
  return left ? [{ kind: 'block', label, body: branched, span }] : branched;
}

export interface Loop {
  readonly condition: Expression | undefined;
  readonly body: Body;
  readonly update: Body;
  readonly span: Span;
}

/**
 * Rewrites a loop. Each `continue` becomes a branch, and a first `if (c) break` becomes the loop's
 * condition.
 */
export function structureLoop(loop: Loop, tooDeep: (span: Span) => never): Loop {
  const body = branchOnExit(loop.body, (statement) => statement.kind === 'continue', tooDeep);
  const [first, ...rest] = body;
  if (loop.condition !== undefined || first?.kind !== 'if') return { ...loop, body };
  if (isBreak(first.then))
    return { ...loop, condition: not(first.condition, first.span), body: [...first.else, ...rest] };
  if (isBreak(first.else)) return { ...loop, condition: first.condition, body: [...first.then, ...rest] };
  return { ...loop, body };
}

function isBreak(body: Body): boolean {
  return body.length === 1 && body[0]?.kind === 'break';
}
