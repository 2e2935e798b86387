import type { ArrowFunctionExpression, FunctionDeclaration, FunctionExpression } from 'acorn';
import { parseList, type ListElement } from './parse-element.ts';
import { parseName } from './parse-name.ts';
import { toPattern } from './to-pattern.ts';
import type { FunctionContext, TokenCursor } from './token-cursor.ts';

/** Parses a function from its word `function`, which may follow `async`. */
export function parseFunctionExpression(p: TokenCursor): FunctionExpression {
  const { start } = p.token;
  const context = parseFunctionStart(p);
  const id = p.is('(') ? null : parseName(p);
  return { type: 'FunctionExpression', ...parseFunctionRest(p, start, context), id };
}

export function parseFunctionDeclaration(p: TokenCursor): FunctionDeclaration {
  const { start } = p.token;
  const context = parseFunctionStart(p);
  const id = parseName(p);
  return { type: 'FunctionDeclaration', ...parseFunctionRest(p, start, context), id };
}

function parseFunctionStart(p: TokenCursor): FunctionContext {
  const isAsync = p.takesWord('async');
  p.expectWord('function');
  return { isAsync, isGenerator: p.takes('*') };
}

/** The parts of a function that is no arrow, after its name. */
type FunctionRest = Omit<FunctionExpression, 'type' | 'id'>;

/** Parses the parameters and the body of a function that is no arrow. */
export function parseFunctionRest(
  p: TokenCursor,
  start: number,
  { isAsync, isGenerator }: FunctionContext,
): FunctionRest {
  return p.within({ isAsync, isGenerator }, () => {
    const params = parseList(p).map((one) => toPattern(p, one));
    const body = p.grammar.block(p);
    return { start, end: p.lastEnd, generator: isGenerator, expression: false, async: isAsync, params, body };
  });
}

/** Parses an arrow function from its arrow. */
export function parseArrow(
  p: TokenCursor,
  start: number,
  params: readonly ListElement[],
  isAsync = false,
): ArrowFunctionExpression {
  const patterns = params.map((one) => toPattern(p, one));
  p.expect('=>');
  const isBlock = p.is('{');
  const body = p.within({ isAsync, isGenerator: false }, () =>
    isBlock ? p.grammar.block(p) : p.grammar.assignment(p),
  );
  return {
    type: 'ArrowFunctionExpression',
    start,
    end: p.lastEnd,
    id: null,
    expression: !isBlock,
    generator: false,
    async: isAsync,
    params: patterns,
    body,
  };
}
