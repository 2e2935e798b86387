import { isScalarKind, scalarInfo, type MemoryProxy } from '@nccl-ts/core';
import { orderNames, scopeNames } from '../print/symbols.ts';
import type { Span } from '../span.ts';
import type { AtomicAccess } from '../statement.ts';
import {
  handleType,
  pointerType,
  scalarType,
  vectorType,
  type AddressSpace,
  type Type,
  type ValueType,
} from '../type.ts';
import type { Cursor } from './cursor.ts';

/** A name: words and dots, or a JSON string. */
export function parseName(cursor: Cursor): string {
  if (cursor.peek().kind === 'string') return parseString(cursor);
  let name = cursor.takeKind('word', 'a name');
  while (cursor.sees('.')) {
    cursor.take('.');
    name += cursor.accept('~') ? '.~' : `.${cursor.takeKind('word', 'a word')}`;
  }
  return name;
}

export function parseString(cursor: Cursor): string {
  const problem = cursor.unexpected('a string with valid escapes');
  const text = cursor.takeKind('string', 'a string');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
  } catch {
    // The token is quoted but holds an escape that JSON has not.
  }
  throw problem;
}

/** True if a type comes next (a handle's bare name counts only where `parseType` is called). */
export function seesValueType(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek();
  return kind === 'word' && (text === 'vec' || isScalarKind(text));
}

const spaces: Readonly<Record<AddressSpace, true>> = { global: true, shared: true, local: true };

export function parseType(cursor: Cursor): Type {
  if (seesValueType(cursor)) return parseValueType(cursor);
  if (cursor.accept('ptr')) {
    cursor.take('(');
    const element = parseValueType(cursor);
    const space = cursor.accept(',') ? cursor.takeKey(spaces, 'an address space') : 'global';
    cursor.take(')');
    return pointerType(element, space);
  }
  if (cursor.accept('handle')) {
    cursor.take('(');
    const name = parseString(cursor);
    cursor.take(')');
    return handleType(name);
  }
  return handleType(cursor.takeKind('word', 'a type'));
}

export function parseValueType(cursor: Cursor): ValueType {
  if (!cursor.accept('vec')) return scalarType(cursor.takeKey(scalarInfo, 'a scalar or vector type'));
  cursor.take('(');
  const element = cursor.takeKey(scalarInfo, 'a scalar type');
  cursor.take(',');
  const width = cursor.takeCount('the width of the vector');
  cursor.take(')');
  return vectorType(element, width);
}

// `-inf` is one token of kind number.
const literalWords: ReadonlyMap<string, number | boolean> = new Map<string, number | boolean>([
  ['true', true],
  ['false', false],
  ['nan', NaN],
  ['inf', Infinity],
  ['-inf', -Infinity],
]);

/** True if a literal comes next. */
export function seesLiteral(cursor: Cursor): boolean {
  const { kind, text } = cursor.peek();
  return kind === 'number' || (kind === 'word' && literalWords.has(text));
}

export function parseLiteral(cursor: Cursor): number | bigint | boolean {
  if (!seesLiteral(cursor)) throw cursor.unexpected('a number, a bigint, true or false');
  const { kind, text } = cursor.peek();
  const problem = cursor.unexpected('a whole number before "n"');
  cursor.takeKind(kind, 'a literal');
  const word = literalWords.get(text);
  if (word !== undefined) return word;
  if (!text.endsWith('n')) return Number(text);
  if (!/^-?\d+n$/.test(text)) throw problem;
  return BigInt(text.slice(0, -1));
}

/** `order.scope`, where an order comes next. */
export function parseAccess(cursor: Cursor): AtomicAccess | undefined {
  const { kind, text } = cursor.peek();
  return kind === 'word' && Object.hasOwn(orderNames, text) ? requireAccess(cursor) : undefined;
}

export function requireAccess(cursor: Cursor): AtomicAccess {
  const order = cursor.takeKey(orderNames, 'a memory order');
  cursor.take('.');
  const scope = cursor.takeKey(scopeNames, 'a memory scope');
  const { kind, text } = cursor.peek();
  if (kind !== 'word' || text !== 'volatile') return Object.freeze({ order, scope });
  cursor.takeKind('word', 'a word');
  return Object.freeze({ order, scope, volatile: true });
}

const proxies: Readonly<Record<MemoryProxy, true>> = { generic: true, fabric: true };

/** The proxy of an access. */
export function parseProxy(cursor: Cursor): MemoryProxy {
  return cursor.takeKey(proxies, 'a memory proxy');
}

const noSpan: Span = Object.freeze({ source: 0, start: 0, end: 0 });

/** A statement's or declaration's `@0:12-30`; without one, an empty span. */
export function parseSpan(cursor: Cursor): Span {
  return acceptSpan(cursor, '@') ?? noSpan;
}

/** The span introduced by `sign`, where one comes next. */
export function acceptSpan(cursor: Cursor, sign: '@' | '^'): Span | undefined {
  const { kind, text } = cursor.peek();
  if (kind !== 'span' || !text.startsWith(sign)) return undefined;
  cursor.takeKind('span', 'a span');
  return text
    .slice(1)
    .split('<')
    .reduceRight((inlinedAt: Span | undefined, part) => {
      const [source = 0, start = 0, end = 0] = part.split(/[:-]/).map(Number);
      return Object.freeze({ source, start, end, ...(inlinedAt && { inlinedAt }) });
    }, undefined);
}
