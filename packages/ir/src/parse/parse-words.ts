import { isScalarKind, scalarInfo, type MemoryProxy } from '@nccl-ts/core';
import { orderNames, scopeNames } from '../print/symbols.ts';
import type { Span } from '../span.ts';
import type { AtomicAccess, VectorPart } from '../statement.ts';
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

/** Parses a name, which is words and dots, or a JSON string. */
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
    // The token is quoted but contains an escape that JSON lacks.
  }
  throw problem;
}

/**
 * True if a type comes next. The bare name of a handle does not count here, but `parseType` accepts
 * it.
 */
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

// `-inf` is a single token of kind `number`.
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

/** Parses `order.scope`, if an order comes next. */
export function parseAccess(cursor: Cursor): AtomicAccess | undefined {
  const { kind, text } = cursor.peek();
  return kind === 'word' && Object.hasOwn(orderNames, text) ? requireAccess(cursor) : undefined;
}

export function requireAccess(cursor: Cursor): AtomicAccess {
  const order = cursor.takeKey(orderNames, 'a memory order');
  cursor.take('.');
  const scope = cursor.takeKey(scopeNames, 'a memory scope');
  const isVolatile = cursor.accept('volatile');
  const isUnscoped = cursor.accept('unscoped');
  const part = parsePart(cursor);
  const traits: Pick<AtomicAccess, 'volatile' | 'unscoped'> = {
    ...(isVolatile ? { volatile: true } : {}),
    ...(isUnscoped ? { unscoped: true } : {}),
  };
  return Object.freeze({ order, scope, ...traits, ...(part === undefined ? {} : { part }) });
}

/** Parses `part INDEX of NUMBER`, if it comes next. */
function parsePart(cursor: Cursor): VectorPart | undefined {
  if (!cursor.accept('part')) return undefined;
  const index = cursor.takeCount('the index of the part');
  cursor.take('of');
  return Object.freeze({ index, of: cursor.takeCount('the number of parts') });
}

const proxies: Readonly<Record<MemoryProxy, true>> = { generic: true, fabric: true };

/** Parses the proxy of an access. */
export function parseProxy(cursor: Cursor): MemoryProxy {
  return cursor.takeKey(proxies, 'a memory proxy');
}

const noSpan: Span = Object.freeze({ source: 0, start: 0, end: 0 });

/**
 * Parses the span `@0:12-30` of a statement or declaration. Returns an empty span if there is none.
 */
export function parseSpan(cursor: Cursor): Span {
  return acceptSpan(cursor, '@') ?? noSpan;
}

/** Parses the span after `sign`, if `sign` comes next. */
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
