import type { VariableDeclaration, VariableDeclarator } from 'acorn';
import { parseName } from './parse-name.ts';
import { parseArray, parseObject } from './parse-object.ts';
import { toPattern } from './to-pattern.ts';
import type { TokenCursor } from './token-cursor.ts';

/** The words that declare variables, if the next token begins with them. */
export function declarationKind(p: TokenCursor): VariableDeclaration['kind'] | undefined {
  if (p.isWord('var') || p.isWord('const')) return p.isWord('var') ? 'var' : 'const';
  const { kind, text, isAfterNewline } = p.isWord('let') || p.isWord('using') || p.isWord('await') ? p.peek() : p.token;
  const isName = kind === 'word' && text !== 'in' && text !== 'instanceof';
  if (p.isWord('let')) return isName || text === '[' || text === '{' ? 'let' : undefined;
  if (p.isWord('using')) return isName && text !== 'of' && !isAfterNewline ? 'using' : undefined;
  return p.context.isAsync && p.isWord('await') && text === 'using' ? 'await using' : undefined;
}

/** `noIn`: the declaration is in the head of a `for`, where `in` is no operator. */
export function parseVariables(p: TokenCursor, kind: VariableDeclaration['kind'], noIn = false): VariableDeclaration {
  const { start } = p.take();
  if (kind === 'await using') p.take();
  const declarations: VariableDeclarator[] = [];
  do {
    const first = p.token.start;
    const target = p.is('{') ? parseObject(p) : p.is('[') ? parseArray(p) : parseName(p);
    const id = toPattern(p, target);
    const init = p.takes('=') ? p.grammar.assignment(p, noIn) : null;
    declarations.push({ type: 'VariableDeclarator', start: first, end: p.lastEnd, id, init });
  } while (p.takes(','));
  return { type: 'VariableDeclaration', start, end: p.lastEnd, declarations, kind };
}
