import { isScalarKind } from '@nccl-ts/core';
import type { Type } from '../type.ts';
import type { Span } from '../span.ts';
import { typeName } from '../type.ts';

const bareName = /^[A-Za-z_]\w*(\.(~|[A-Za-z_]\w*))*$/;
const bareWord = /^[A-Za-z_]\w*$/;

/**
 * Prints an author's or intrinsic's name. A name that is not made of words and dots becomes a JSON
 * string.
 */
export function printName(name: string): string {
  return bareName.test(name) ? name : JSON.stringify(name);
}

/** Prints a type for the parser. Equals `typeName`, except for handles with an ambiguous name. */
export function printType(type: Type): string {
  if (type.kind !== 'handle') return typeName(type);
  const { name } = type;
  const plain = bareWord.test(name) && !isScalarKind(name) && !typeWords.has(name);
  return plain ? name : `handle(${JSON.stringify(name)})`;
}

const typeWords: ReadonlySet<string> = new Set(['vec', 'ptr', 'handle']);

/**
 * Prints a literal that parses to the same value. Bigints end in `n`, and -0, infinities and NaN
 * have their own words.
 */
export function printLiteral(value: number | bigint | boolean): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'boolean') return String(value);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/**
 * Prints a span as `0:12-30`: source, start, end. The span of the inlined call follows after a `<`.
 */
export function printSpan(span: Span): string {
  const own = `${span.source}:${span.start}-${span.end}`;
  return span.inlinedAt === undefined ? own : `${own}<${printSpan(span.inlinedAt)}`;
}
