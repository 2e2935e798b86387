import { isScalarKind } from '@nccl-ts/core';
import type { Type } from '../type.ts';
import type { Span } from '../span.ts';
import { typeName } from '../type.ts';

const bareName = /^[A-Za-z_]\w*(\.(~|[A-Za-z_]\w*))*$/;
const bareWord = /^[A-Za-z_]\w*$/;

/**
 * An author's or intrinsic's name: as it is where it is made of words and dots, else as a JSON
 * string.
 */
export function printName(name: string): string {
  return bareName.test(name) ? name : JSON.stringify(name);
}

/**
 * A type as the parser reads it: `typeName`, but for handles whose name could be taken for
 * something else.
 */
export function printType(type: Type): string {
  if (type.kind !== 'handle') return typeName(type);
  const { name } = type;
  const plain = bareWord.test(name) && !isScalarKind(name) && !typeWords.has(name);
  return plain ? name : `handle(${JSON.stringify(name)})`;
}

const typeWords: ReadonlySet<string> = new Set(['vec', 'ptr', 'handle']);

/**
 * A literal that parses to the same value: bigints end in `n`, and -0, infinities and NaN have
 * their own words.
 */
export function printLiteral(value: number | bigint | boolean): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'boolean') return String(value);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** `0:12-30`: source, start, end; after a `<` the span at which that text was inlined. */
export function printSpan(span: Span): string {
  const own = `${span.source}:${span.start}-${span.end}`;
  return span.inlinedAt === undefined ? own : `${own}<${printSpan(span.inlinedAt)}`;
}
