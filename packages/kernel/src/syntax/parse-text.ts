import type { Expression } from 'acorn';
import { parseAssignment, parseExpression, parseLeftHandSide } from './parse-expression.ts';
import { parseBlock, parseStatement } from './parse-statement.ts';
import { TokenCursor, type Grammar } from './token-cursor.ts';

const grammar: Grammar = {
  expression: parseExpression,
  assignment: parseAssignment,
  leftHandSide: parseLeftHandSide,
  statement: parseStatement,
  block: parseBlock,
};

/**
 * Parses a text that is one expression. The tree is that of ESTree, as acorn makes it.
 *
 * The parser takes all of JavaScript, so that reports can name what kernels cannot use. But it
 * takes it as right: the text comes from a function, which the engine has parsed before. So it does
 * not look for declarations that repeat each other, and the like.
 *
 * @throws TextError if the text does not parse.
 */
export function parseText(text: string): Expression {
  const cursor = new TokenCursor(text, grammar);
  const expression = parseExpression(cursor);
  for (const start of cursor.openDefaults) cursor.fail('Unexpected default value', start);
  if (cursor.token.kind !== 'end') cursor.fail();
  return expression;
}
