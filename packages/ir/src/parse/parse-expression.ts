import { scalarInfo } from '@nccl-ts/core';
import { array, builtin, constant, field, local, param } from '../build/leaf.ts';
import { intrinsic } from '../build/intrinsic.ts';
import { binary, bitcast, compare, convert, logical, math, select, unary } from '../build/operation.ts';
import {
  clusterPointer,
  multicastPointer,
  multicastSize,
  pointerCast,
  pointerOffset,
  unicastPointer,
  addressPointer,
  windowPointer,
} from '../build/pointer.ts';
import { lane, vector, withLane } from '../build/vector.ts';
import type { BinaryOp, Expression, UnaryOp, Coop, Static } from '../expression.ts';
import type { ArrayDeclaration, Local, Param } from '../module.ts';
import {
  binarySymbols,
  builtinNames,
  compareSymbols,
  isKey,
  keyOf,
  logicalSymbols,
  mathNames,
  pointerOffsetSymbol,
} from '../print/symbols.ts';
import type { Span } from '../span.ts';
import type { Cursor } from './cursor.ts';
import {
  acceptSpan,
  parseLiteral,
  parseName,
  parseString,
  parseType,
  parseValueType,
  seesLiteral,
  seesValueType,
} from './parse-words.ts';

/** The meaning of the names in an expression. */
export interface ExpressionScope {
  readonly params: readonly Param[];
  readonly arrays: readonly ArrayDeclaration[];
  readonly locals: readonly Local[];
  /** The arguments of the intrinsic whose expansion is being read. */
  readonly args: readonly Expression[];
}

/** Makes the node, after reading the span that may follow it. */
type Unfinished = (span: Span | undefined) => Expression;

export function parseExpression(cursor: Cursor, scope: ExpressionScope): Expression {
  let expression = cursor.accept('arg')
    ? parseArgument(cursor, scope)
    : parsePrimary(cursor, scope)(acceptSpan(cursor, '^'));
  while (cursor.accept('.')) {
    const name = parseName(cursor);
    cursor.take(':');
    const type = parseType(cursor);
    expression = field(expression, name, type, acceptSpan(cursor, '^'));
  }
  return expression;
}

function parseArgument(cursor: Cursor, scope: ExpressionScope): Expression {
  cursor.take('(');
  const problem = cursor.unexpected('the number of an argument of the intrinsic');
  const found = scope.args[cursor.takeCount('the number of an argument')];
  if (found === undefined) throw problem;
  cursor.take(')');
  return found;
}

function parsePrimary(cursor: Cursor, scope: ExpressionScope): Unfinished {
  if (seesLiteral(cursor)) return parseConstant(cursor);
  if (seesValueType(cursor)) return parseTyped(cursor, scope);
  const { kind, text } = cursor.peek();
  const parse = kind === 'word' || kind === 'symbol' ? forms.get(text) : undefined;
  if (parse !== undefined) {
    cursor.take(text);
    return parse(cursor, scope);
  }
  if (kind === 'word') return parseBuiltin(cursor);
  throw cursor.unexpected('an expression');
}

function parseConstant(cursor: Cursor): Unfinished {
  const value = parseLiteral(cursor);
  if (typeof value === 'boolean' && !cursor.sees(':')) return (span) => constant('bool', value, span);
  cursor.take(':');
  const scalar = cursor.takeKey(scalarInfo, 'the scalar type of the constant');
  return (span) => constant(scalar, value, span);
}

/** Parses a conversion `f32(x)`, or a vector `vec(f32, 4)[a, b]`. */
function parseTyped(cursor: Cursor, scope: ExpressionScope): Unfinished {
  const type = parseValueType(cursor);
  if (type.kind === 'vector' && cursor.accept('[')) {
    const elements = parseList(cursor, scope, ']');
    return (span) => vector(type, elements, span);
  }
  cursor.take('(');
  const operand = parseExpression(cursor, scope);
  cursor.take(')');
  return (span) => convert(type, operand, span);
}

function parseBuiltin(cursor: Cursor): Unfinished {
  const problem = cursor.unexpected('an expression');
  let name = cursor.takeKind('word', 'an expression');
  if (!isKey(builtinNames, name) && cursor.accept('.')) name += `.${cursor.takeKind('word', 'x, y or z')}`;
  if (!isKey(builtinNames, name)) throw problem;
  const known = name;
  return (span) => builtin(known, span);
}

/** Parses `(!a)`, `(~a)`, or an operator between its operands. */
function parseOperator(cursor: Cursor, scope: ExpressionScope): Unfinished {
  const op = cursor.accept('!') ? 'not' : cursor.accept('~') ? 'bitNot' : undefined;
  if (op !== undefined) {
    const operand = parseLast(cursor, scope);
    return (span) => unary(op, operand, span);
  }
  const left = parseExpression(cursor, scope);
  const symbol = cursor.peek().text;
  const problem = cursor.unexpected('an operator that fits the operand on its left');
  const make = infix(left, symbol);
  if (make === undefined) throw problem;
  cursor.take(symbol);
  const right = parseExpression(cursor, scope);
  cursor.take(')');
  return (span) => make(right, span);
}

function infix(left: Expression, symbol: string): ((right: Expression, span?: Span) => Expression) | undefined {
  if (symbol === pointerOffsetSymbol) {
    return left.type.kind === 'pointer' ? (right, span) => pointerOffset(left, right, span) : undefined;
  }
  const logicalOp = keyOf(logicalSymbols, symbol);
  if (logicalOp !== undefined) return (right, span) => logical(logicalOp, left, right, span);
  const compareOp = keyOf(compareSymbols, symbol);
  if (compareOp !== undefined) return (right, span) => compare(compareOp, left, right, span);
  const binaryOp = keyOf(binarySymbols, symbol);
  return binaryOp === undefined ? undefined : (right, span) => binary(binaryOp, left, right, span);
}

type ExpressionParser = (cursor: Cursor, scope: ExpressionScope) => Unfinished;

function unaryForm(op: UnaryOp): ExpressionParser {
  return (cursor, scope) => {
    const operand = parseOne(cursor, scope);
    return (span) => unary(op, operand, span);
  };
}

function binaryForm(op: BinaryOp): ExpressionParser {
  return (cursor, scope) => {
    const [left, right] = parseTwo(cursor, scope);
    return (span) => binary(op, left, right, span);
  };
}

const formList: readonly (readonly [string, ExpressionParser])[] = [
  ['(', parseOperator],
  [
    '%',
    (cursor, scope) => {
      const [id, { type }] = parseId(cursor, scope.locals, 'the number of a declared local');
      return (span) => local(id, type, span);
    },
  ],
  [
    '$',
    (cursor, scope) => {
      const [id, { type }] = parseId(cursor, scope.params, 'the number of a declared parameter');
      return (span) => param(id, type, span);
    },
  ],
  [
    '#',
    (cursor, scope) => {
      const [id, declaration] = parseId(cursor, scope.arrays, 'the number of a declared array');
      return (span) => array(id, declaration, span);
    },
  ],
  ['neg', unaryForm('neg')],
  ['popcount', unaryForm('popcount')],
  ['clz', unaryForm('clz')],
  ['ctz', unaryForm('ctz')],
  ['min', binaryForm('min')],
  ['max', binaryForm('max')],
  [
    'select',
    (cursor, scope) => {
      const [condition, then, otherwise] = parseThree(cursor, scope);
      return (span) => select(condition, then, otherwise, span);
    },
  ],
  [
    'bitcast',
    (cursor, scope) => {
      cursor.take('(');
      const type = parseValueType(cursor);
      cursor.take(',');
      const operand = parseLast(cursor, scope);
      return (span) => bitcast(type, operand, span);
    },
  ],
  [
    'math',
    (cursor, scope) => {
      cursor.take('.');
      const name = cursor.takeKey(mathNames, 'a math function');
      cursor.take('(');
      const problem = cursor.unexpected('an argument');
      const args = parseList(cursor, scope, ')');
      if (args.length === 0) throw problem;
      return (span) => math(name, args, span);
    },
  ],
  [
    'lane',
    (cursor, scope) => {
      const problem = cursor.unexpected('the arguments of lane, a vector first');
      const [of, index] = parseTwo(cursor, scope);
      if (of.type.kind !== 'vector') throw problem;
      return (span) => lane(of, index, span);
    },
  ],
  [
    'withLane',
    (cursor, scope) => {
      const problem = cursor.unexpected('the arguments of withLane, a vector first');
      const [of, index, value] = parseThree(cursor, scope);
      if (of.type.kind !== 'vector') throw problem;
      return (span) => withLane(of, index, value, span);
    },
  ],
  [
    'window',
    (cursor, scope) => {
      cursor.take('(');
      const element = parseValueType(cursor);
      cursor.take(',');
      const window = parseExpression(cursor, scope);
      cursor.take(',');
      const peer = parseExpression(cursor, scope);
      cursor.take(',');
      const offset = parseLast(cursor, scope);
      return (span) => windowPointer(element, window, peer, offset, span);
    },
  ],
  [
    'address',
    (cursor, scope) => {
      cursor.take('(');
      const element = parseValueType(cursor);
      cursor.take(',');
      const address = parseLast(cursor, scope);
      return (span) => addressPointer(element, address, span);
    },
  ],
  [
    'multicast',
    (cursor, scope) => {
      cursor.take('(');
      const element = parseValueType(cursor);
      cursor.take(',');
      const window = parseExpression(cursor, scope);
      cursor.take(',');
      const group = parseExpression(cursor, scope);
      cursor.take(',');
      const offset = parseLast(cursor, scope);
      return (span) => multicastPointer(element, window, group, offset, span);
    },
  ],
  [
    'unicast',
    (cursor, scope) => {
      const problem = cursor.unexpected('the arguments of unicast, a pointer first');
      const [pointer, member] = parseTwo(cursor, scope);
      if (pointer.type.kind !== 'pointer') throw problem;
      return (span) => unicastPointer(pointer, member, span);
    },
  ],
  [
    'multicastSize',
    (cursor, scope) => {
      const pointer = parseOne(cursor, scope);
      return (span) => multicastSize(pointer, span);
    },
  ],
  [
    'cluster',
    (cursor, scope) => {
      const problem = cursor.unexpected('a pointer');
      const [pointer, rank] = parseTwo(cursor, scope);
      if (pointer.type.kind !== 'pointer') throw problem;
      return (span) => clusterPointer(pointer, rank, span);
    },
  ],
  [
    'cast',
    (cursor, scope) => {
      cursor.take('(');
      const element = parseValueType(cursor);
      cursor.take(',');
      const problem = cursor.unexpected('a pointer');
      const pointer = parseLast(cursor, scope);
      if (pointer.type.kind !== 'pointer') throw problem;
      return (span) => pointerCast(element, pointer, span);
    },
  ],
  [
    '@',
    (cursor, scope) => {
      const name = parseName(cursor);
      const statics = parseStatics(cursor, scope);
      cursor.take('(');
      const args = parseList(cursor, scope, ')');
      cursor.take('{');
      const expansion = parseExpression(cursor, { ...scope, args });
      cursor.take('}');
      return (span) => intrinsic(name, statics, args, expansion, span);
    },
  ],
];
const forms: ReadonlyMap<string, ExpressionParser> = new Map(formList);

/** Parses expressions up to and including `end`. */
export function parseList(cursor: Cursor, scope: ExpressionScope, end: string): readonly Expression[] {
  const list: Expression[] = [];
  while (!cursor.accept(end)) {
    if (list.length > 0) cursor.take(',');
    list.push(parseExpression(cursor, scope));
  }
  return list;
}

function parseLast(cursor: Cursor, scope: ExpressionScope): Expression {
  const expression = parseExpression(cursor, scope);
  cursor.take(')');
  return expression;
}

function parseOne(cursor: Cursor, scope: ExpressionScope): Expression {
  cursor.take('(');
  return parseLast(cursor, scope);
}

function parseTwo(cursor: Cursor, scope: ExpressionScope): readonly [Expression, Expression] {
  cursor.take('(');
  const first = parseExpression(cursor, scope);
  cursor.take(',');
  return [first, parseLast(cursor, scope)];
}

function parseThree(cursor: Cursor, scope: ExpressionScope): readonly [Expression, Expression, Expression] {
  cursor.take('(');
  const first = parseExpression(cursor, scope);
  cursor.take(',');
  const second = parseExpression(cursor, scope);
  cursor.take(',');
  return [first, second, parseLast(cursor, scope)];
}

function parseId<T>(cursor: Cursor, declared: readonly T[], expected: string): readonly [number, T] {
  const problem = cursor.unexpected(expected);
  const id = cursor.takeCount(expected);
  const declaration = declared[id];
  if (declaration === undefined) throw problem;
  return [id, declaration];
}

export function parseCoop(cursor: Cursor, scope: ExpressionScope): Coop {
  if (cursor.accept('cta')) return Object.freeze({ kind: 'cta' });
  if (cursor.accept('tile')) {
    cursor.take('(');
    const size = cursor.takeCount('the size of the tile');
    cursor.take(')');
    return Object.freeze({ kind: 'tile', size });
  }
  if (cursor.accept('lanes')) return Object.freeze({ kind: 'lanes', mask: parseOne(cursor, scope) });
  if (cursor.accept('warpSpan')) {
    const [first, count, id] = parseThree(cursor, scope);
    return Object.freeze({ kind: 'warpSpan', first, count, id });
  }
  throw cursor.unexpected('cta, tile, lanes or warpSpan');
}

/** Parses `<name = value, ...>`, which is optional. */
export function parseStatics(cursor: Cursor, scope: ExpressionScope): readonly Static[] {
  const statics: Static[] = [];
  if (!cursor.accept('<')) return statics;
  do statics.push(parseStatic(cursor, scope));
  while (cursor.accept(','));
  cursor.take('>');
  return statics;
}

function parseStatic(cursor: Cursor, scope: ExpressionScope): Static {
  const name = parseName(cursor);
  cursor.take('=');
  if (cursor.accept('type')) return Object.freeze({ kind: 'type', name, type: parseType(cursor) });
  if (cursor.accept('coop')) return Object.freeze({ kind: 'coop', name, coop: parseCoop(cursor, scope) });
  if (cursor.accept('custom')) return Object.freeze({ kind: 'custom', name });
  if (cursor.peek().kind === 'string') return Object.freeze({ kind: 'word', name, word: parseString(cursor) });
  return Object.freeze({ kind: 'number', name, number: parseLiteral(cursor) });
}
