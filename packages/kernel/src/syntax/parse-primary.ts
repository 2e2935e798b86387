import type { Expression, ImportExpression, MetaProperty, NewExpression, Super } from 'acorn';
import { parseClassExpression } from './parse-class.ts';
import { parseElement, parseList, type ListElement } from './parse-element.ts';
import { parseArrow, parseFunctionExpression } from './parse-function.ts';
import { parseConstant, parseLiteral, parseRegex, parseTemplate } from './parse-literal.ts';
import { parseAnyName, parseName } from './parse-name.ts';
import { parseArray, parseObject } from './parse-object.ts';
import { parseSubscripts } from './parse-subscripts.ts';
import type { TokenCursor } from './token-cursor.ts';

/** Parses an expression without operators, members and calls. */
export function parsePrimary(p: TokenCursor): Expression | Super {
  switch (p.token.kind) {
    case 'number':
    case 'string':
      return parseLiteral(p);
    case 'word':
      return parseWord(p);
    case 'punctuator':
      return parsePunctuator(p);
    default:
      return p.fail();
  }
}

function parsePunctuator(p: TokenCursor): Expression {
  switch (p.token.text) {
    case '(':
      return parseParenthesized(p);
    case '[':
      return parseArray(p);
    case '{':
      return parseObject(p);
    case '/':
    case '/=':
      return parseRegex(p);
    case '`':
      return parseTemplate(p);
    default:
      return p.fail();
  }
}

function parseWord(p: TokenCursor): Expression | Super {
  const { start, end, text } = p.token;
  switch (text) {
    case 'this':
      p.take();
      return { type: 'ThisExpression', start, end };
    case 'super':
      p.take();
      return { type: 'Super', start, end };
    case 'null':
      return parseConstant(p, null);
    case 'true':
    case 'false':
      return parseConstant(p, text === 'true');
    case 'function':
      return parseFunctionExpression(p);
    case 'class':
      return parseClassExpression(p);
    case 'new':
      return parseNew(p);
    case 'import':
      return parseImport(p);
    case 'async':
      return parseAsync(p);
    default:
      return parseReference(p);
  }
}

/** A name, or the only parameter of an arrow function. */
function parseReference(p: TokenCursor): Expression {
  const name = parseName(p);
  return isArrow(p) ? parseArrow(p, name.start, [name]) : name;
}

function parseAsync(p: TokenCursor): Expression {
  const { start } = p.token;
  const { kind, text, isAfterNewline } = p.peek();
  if (isAfterNewline) return parseReference(p);
  if (kind === 'word' && text === 'function') return parseFunctionExpression(p);
  const isInOrOf = ['in', 'of', 'instanceof'].includes(text);
  if (kind === 'word' && !isInOrOf) {
    p.take();
    return parseArrow(p, start, [parseName(p)], true);
  }
  if (kind !== 'punctuator' || text !== '(') return parseReference(p);
  const callee = parseName(p);
  const args = parseList(p);
  if (isArrow(p)) return parseArrow(p, start, args, true);
  return { type: 'CallExpression', start, end: p.lastEnd, callee, arguments: args, optional: false };
}

/** Parses what is in parentheses, or an arrow function of these parameters. */
function parseParenthesized(p: TokenCursor): Expression {
  const { start } = p.take();
  const first = p.token.start;
  const items: ListElement[] = [];
  let isList = true;
  while (!p.is(')')) {
    items.push(parseElement(p));
    isList = p.takes(',');
    if (!isList) break;
  }
  const end = p.lastEnd;
  p.expect(')');
  if (isArrow(p)) return parseArrow(p, start, items);
  const expressions = items.flatMap((one) => (one.type === 'SpreadElement' ? [] : [one]));
  const [only] = expressions;
  if (only === undefined || isList || expressions.length < items.length) return p.fail();
  return expressions.length === 1 ? only : { type: 'SequenceExpression', start: first, end, expressions };
}

function isArrow(p: TokenCursor): boolean {
  return p.is('=>') && !p.token.isAfterNewline;
}

function parseNew(p: TokenCursor): NewExpression | MetaProperty {
  const meta = parseAnyName(p);
  const { start } = meta;
  if (p.takes('.')) return parseMeta(p, meta);
  const base = p.token.start;
  const callee = parseSubscripts(p, parsePrimary(p), base, true);
  const args = p.is('(') ? parseList(p) : [];
  return { type: 'NewExpression', start, end: p.lastEnd, callee, arguments: args };
}

function parseImport(p: TokenCursor): ImportExpression | MetaProperty {
  const meta = parseAnyName(p);
  const { start } = meta;
  if (p.takes('.')) return parseMeta(p, meta);
  p.expect('(');
  const source = p.grammar.assignment(p);
  const options = p.takes(',') && !p.is(')') ? p.grammar.assignment(p) : null;
  p.takes(',');
  p.expect(')');
  return { type: 'ImportExpression', start, end: p.lastEnd, source, options };
}

function parseMeta(p: TokenCursor, meta: MetaProperty['meta']): MetaProperty {
  const property = parseAnyName(p);
  return { type: 'MetaProperty', start: meta.start, end: p.lastEnd, meta, property };
}
