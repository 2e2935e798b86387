import type { CallName, OperatorName, Tree } from '../language/tree.ts';
import { bytesOf, commonKind, isFp8, typeOf, type Type } from '../language/type.ts';
import { allKinds, kinds, type CompareName, type Kind } from '../reference/scalar.ts';

const widths = [2, 4, 8, 16] as const;

/** Every vector type that the language has. */
export const vectorTypes: readonly Type[] = allKinds
  .filter((kind) => kind !== 'bool' && kind !== 'addr')
  .flatMap((kind) => widths.map((width) => typeOf(kind, width)).filter((type) => bytesOf(type) <= 16));

export const scalarTypes: readonly Type[] = allKinds.map((kind) => typeOf(kind));
export const comparisons: readonly CompareName[] = ['==', '!=', '<', '<=', '>', '>='];
export const integerOperators: readonly OperatorName[] = ['+', '-', '*', '&', '|', '^', '+', '-', '*'];
export const floatOperators: readonly OperatorName[] = ['+', '-', '*', '/', '+', '-', '*', '/', '%'];
export const compoundOperators: readonly OperatorName[] = ['+', '-', '*', '&', '|', '^', '<<', '>>'];

/** The float functions whose result is exact or rounded once. */
export const exactFunctions: readonly CallName[] = ['math.sqrt', 'math.floor', 'math.ceil', 'math.trunc', 'math.round'];
export const bitCounts: readonly CallName[] = ['popcount', 'clz', 'ctz'];

/**
 * True if a type has arithmetic. A vector of sixteen FP8 values has none, because sixteen values do
 * not fit into a vector of f16.
 */
export function computes({ kind, width }: Type): boolean {
  return !isFp8(kind) || width <= 8;
}

export function isInt(kind: Kind): boolean {
  return kinds[kind].class === 'int';
}

export function isFloat(kind: Kind): boolean {
  return kinds[kind].class === 'float';
}

/** The kinds of a shift count. */
export const shiftCounts: readonly Kind[] = allKinds.filter((kind) => isInt(kind) || kind === 'bool');

/** All pairs of scalars whose common kind is `kind`. */
export const pairsOf: ReadonlyMap<Kind, readonly (readonly [Kind, Kind])[]> = new Map(
  allKinds.map((kind) => [
    kind,
    allKinds.flatMap((a) => allKinds.map((b) => [a, b] as const)).filter(([a, b]) => commonKind(a, b) === kind),
  ]),
);

/** The operators of addresses, with other operands that are neither negative nor too large. */
export const addressPairs: readonly (readonly [Kind, Kind])[] = (pairsOf.get('addr') ?? []).filter((pair) =>
  pair.every((kind) => ['bool', 'u8', 'u16', 'u32', 'addr'].includes(kind)),
);

export function binary(op: OperatorName, left: Tree, right: Tree): Tree {
  return { node: 'binary', op, left, right };
}

export function compare(op: CompareName, left: Tree, right: Tree): Tree {
  return { node: 'compare', op, left, right };
}

export function select(condition: Tree, then: Tree, otherwise: Tree): Tree {
  return { node: 'select', condition, then, else: otherwise };
}

export function compound(op: OperatorName, left: Tree, right: Tree): Tree {
  return { node: 'compound', op, left, right };
}

export function call(name: CallName, ...args: readonly Tree[]): Tree {
  return { node: 'call', name, args };
}
