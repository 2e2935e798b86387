import {
  constant,
  walkBody,
  type Body,
  type Expression,
  type LocalId,
  type Span,
  type Statement,
  type StatementKind,
} from '@nccl-ts/ir';

/**
 * Rewrites a round of a loop so that its branches contain no `break` or `continue`. In the result,
 * `flag` is true if the round broke, and `atEnd` if it reached its end. Returns `undefined` if that
 * would repeat statements.
 */
export function flagExits(round: Body, flag: LocalId, atEnd: Expression, span: Span): Body | undefined {
  const set = (value: Expression): Statement => ({ kind: 'assign', local: flag, value, span });
  const flagged = (body: Body): Body | undefined => {
    const at = body.findIndex((statement) => exitsRound(statement));
    const statement = body[at];
    if (statement === undefined) return [...body, set(atEnd)];
    const before = body.slice(0, at);
    if (statement.kind === 'break') return [...before, set(constant('bool', true))];
    if (statement.kind === 'continue') return [...before, set(atEnd)];
    if (statement.kind !== 'if') return undefined;
    const rest = body.slice(at + 1);
    if (rest.length > 0 && !alwaysExits(statement.then) && !alwaysExits(statement.else)) return undefined;
    const then = flagged([...statement.then, ...rest]);
    const otherwise = flagged([...statement.else, ...rest]);
    return then && otherwise && [...before, { ...statement, then, else: otherwise }];
  };
  return flagged(round);
}

/** True if a `break` or `continue` of this loop is in the statement. */
function exitsRound(statement: Statement): boolean {
  return holds([statement], (kind) => kind === 'break' || kind === 'continue');
}

/** True if the body contains a statement of a wanted kind. Inner loops do not count. */
export function holds(body: Body, isWanted: (kind: StatementKind) => boolean): boolean {
  let found = false;
  walkBody(body, {
    statement: ({ kind }) => {
      found ||= isWanted(kind);
      return kind !== 'loop';
    },
  });
  return found;
}

/** True if statements after `body` never run, so it does not matter if they are kept. */
function alwaysExits(body: Body): boolean {
  const last = body.at(-1);
  if (last === undefined) return false;
  if (last.kind === 'if') return alwaysExits(last.then) && alwaysExits(last.else);
  return last.kind === 'break' || last.kind === 'continue';
}
