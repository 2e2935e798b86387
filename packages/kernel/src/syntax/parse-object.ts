import type { ArrayExpression, Expression, FunctionExpression, ObjectExpression, Property, SpreadElement } from 'acorn';
import { parseElement, parseSpread } from './parse-element.ts';
import { parseFunctionRest } from './parse-function.ts';
import { parseLiteral } from './parse-literal.ts';
import { parseAnyName, parseName } from './parse-name.ts';
import type { FunctionContext, TokenCursor } from './token-cursor.ts';

export function parseArray(p: TokenCursor): ArrayExpression {
  const { start } = p.take();
  const elements: ArrayExpression['elements'] = [];
  while (!p.is(']')) {
    if (p.takes(',')) {
      elements.push(null);
      continue;
    }
    elements.push(parseElement(p));
    if (!p.takes(',')) break;
  }
  p.expect(']');
  return { type: 'ArrayExpression', start, end: p.lastEnd, elements };
}

export function parseObject(p: TokenCursor): ObjectExpression {
  const { start } = p.take();
  const properties: ObjectExpression['properties'] = [];
  while (!p.is('}')) {
    properties.push(parseProperty(p));
    if (!p.takes(',')) break;
  }
  p.expect('}');
  return { type: 'ObjectExpression', start, end: p.lastEnd, properties };
}

function parseProperty(p: TokenCursor): Property | SpreadElement {
  const { start } = p.token;
  if (p.is('...')) return parseSpread(p);
  const modifiers = parseModifiers(p);
  const isName = p.token.kind === 'word';
  const isPlain = modifiers.kind === 'init' && !modifiers.isAsync && !modifiers.isGenerator;
  if (isPlain && isName && [',', '}', '='].includes(p.peek().text)) return parseShorthand(p);
  const { key, computed } = parseKey(p);
  const isMethod = p.is('(');
  if (!isMethod && isPlain) p.expect(':');
  const value = isMethod || !isPlain ? parseMethod(p, modifiers) : p.grammar.assignment(p);
  return {
    type: 'Property',
    start,
    end: p.lastEnd,
    method: isMethod && modifiers.kind === 'init',
    shorthand: false,
    computed,
    key,
    value,
    kind: modifiers.kind,
  };
}

/** `a`, or `a = 1` in what must turn out to be a pattern. */
function parseShorthand(p: TokenCursor): Property {
  const key = parseName(p);
  const { start } = key;
  const name = { ...key };
  let value: Expression = name;
  if (p.takes('=')) {
    p.openDefaults.add(start);
    const right = p.grammar.assignment(p);
    value = { type: 'AssignmentExpression', start, end: p.lastEnd, operator: '=', left: name, right };
  }
  const flags = { method: false, shorthand: true, computed: false };
  return { type: 'Property', start, end: p.lastEnd, ...flags, key, value, kind: 'init' };
}

/** The words before the name of a member. */
export interface Modifiers extends FunctionContext {
  readonly kind: 'init' | 'get' | 'set';
}

export function parseModifiers(p: TokenCursor): Modifiers {
  const isAsync = takesModifier(p, 'async');
  const isGenerator = p.takes('*');
  const isPlain = !isAsync && !isGenerator;
  const kind = isPlain && takesModifier(p, 'get') ? 'get' : isPlain && takesModifier(p, 'set') ? 'set' : 'init';
  return { kind, isAsync, isGenerator };
}

/** Takes a word, unless it is the name of the member itself. */
export function takesModifier(p: TokenCursor, word: string): boolean {
  if (!p.isWord(word)) return false;
  const { kind, text, isAfterNewline } = p.peek();
  const isName = kind === 'end' || ['(', ',', ':', '}', '=', ';'].includes(text);
  if (isName || (word === 'async' && isAfterNewline)) return false;
  p.take();
  return true;
}

/** The name of a member. */
export function parseKey(p: TokenCursor): { readonly key: Expression; readonly computed: boolean } {
  if (p.takes('[')) {
    const key = p.grammar.assignment(p);
    p.expect(']');
    return { key, computed: true };
  }
  const { kind } = p.token;
  return { key: kind === 'string' || kind === 'number' ? parseLiteral(p) : parseAnyName(p), computed: false };
}

/** The parameters and the body of a method. */
export function parseMethod(p: TokenCursor, modifiers: FunctionContext): FunctionExpression {
  return { type: 'FunctionExpression', ...parseFunctionRest(p, p.token.start, modifiers), id: null };
}
