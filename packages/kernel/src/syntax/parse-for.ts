import type { Expression, ForInStatement, ForOfStatement, ForStatement, Pattern, VariableDeclaration } from 'acorn';
import { declarationKind, parseVariables } from './parse-variables.ts';
import { toPattern } from './to-pattern.ts';
import type { TokenCursor } from './token-cursor.ts';

export function parseFor(p: TokenCursor): ForStatement | ForInStatement | ForOfStatement {
  const { start } = p.take();
  const isAwait = p.context.isAsync && p.takesWord('await');
  p.expect('(');
  const kind = declarationKind(p);
  if (kind !== undefined) {
    const declaration = parseVariables(p, kind, true);
    return isOver(p) ? parseOver(p, start, declaration, isAwait) : parseCounted(p, start, declaration);
  }
  const init = p.is(';') ? null : p.grammar.expression(p, true);
  if (init !== null && isOver(p)) return parseOver(p, start, toPattern(p, init), isAwait);
  return parseCounted(p, start, init);
}

function isOver(p: TokenCursor): boolean {
  return p.isWord('of') || p.isWord('in');
}

/** Parses a loop over values or names from its `of` or `in`. */
function parseOver(
  p: TokenCursor,
  start: number,
  left: VariableDeclaration | Pattern,
  isAwait: boolean,
): ForInStatement | ForOfStatement {
  if (p.takesWord('in')) {
    const right = p.grammar.expression(p);
    p.expect(')');
    const body = p.grammar.statement(p);
    return { type: 'ForInStatement', start, end: p.lastEnd, left, right, body };
  }
  p.take();
  const right = p.grammar.assignment(p);
  p.expect(')');
  const body = p.grammar.statement(p);
  return { type: 'ForOfStatement', start, end: p.lastEnd, await: isAwait, left, right, body };
}

/** Parses a loop from the first `;` in its head. */
function parseCounted(p: TokenCursor, start: number, init: VariableDeclaration | Expression | null): ForStatement {
  p.expect(';');
  const test = p.is(';') ? null : p.grammar.expression(p);
  p.expect(';');
  const update = p.is(')') ? null : p.grammar.expression(p);
  p.expect(')');
  const body = p.grammar.statement(p);
  return { type: 'ForStatement', start, end: p.lastEnd, init, test, update, body };
}
