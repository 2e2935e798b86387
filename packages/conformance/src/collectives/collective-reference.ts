import { collectiveShapes, type CollectiveName } from '@nccl-ts/core';
import { wrapTo, type IntegerKind } from '../cases/fixture/integers.ts';
import { scrambled } from '../cases/fixture/numbers.ts';
import { largestOf, roundTo, ulpOf, type FloatKind } from '../cases/fixture/round-float.ts';
import { isFloatKind, type Element } from '../cases/fixture/reduce-reference.ts';
import type { CollectiveCase, CollectiveElement } from './collective-case.ts';
import type { ReductionText } from './reduction-text.ts';

/** The factor by which `preMulSum` multiplies a rank's values. It is exact in every type. */
export function scaleOf(rank: number): number {
  return rank % 2 === 0 ? 3 : 2;
}

/** A value, and the allowed error of a result. */
export interface Wanted {
  readonly value: Element;
  readonly within: number;
}

/**
 * The `n` values of rank `rank`. Factors of products are near 1, so that a product over 16 ranks is
 * in the range of every type. Integers come from their whole range, because they wrap.
 */
export function inputs(kind: CollectiveElement, op: ReductionText, rank: number, n: number): readonly Element[] {
  const numbers = scrambled(n, 7 + 31 * rank);
  if (isFloatKind(kind)) {
    if (op === 'prod') return numbers.map((x) => [1, -1, 1, 1.5, 1, 0.5, -1, 1][(x >> 4) % 8] ?? 1);
    return numbers.map((x) => roundTo(kind, ((x % 4001) - 2000) / 640));
  }
  const wide = scrambled(n, 1009 + rank);
  return numbers.map((x, i) => asElement(kind, wrapTo(kind, (BigInt(x) << 33n) ^ BigInt(wide[i] ?? 0))));
}

function asElement(kind: IntegerKind, value: bigint): Element {
  return kind === 'i64' || kind === 'u64' ? value : Number(value);
}

/** The combined element `i` of all ranks. */
export function joined(kind: CollectiveElement, op: ReductionText, values: readonly Element[]): Wanted {
  return isFloatKind(kind) ? joinedFloats(kind, op, values.map(Number)) : joinedIntegers(kind, op, values.map(BigInt));
}

const joinedExactly: Readonly<Record<ReductionText, (values: readonly bigint[], kind: IntegerKind) => bigint>> =
  Object.freeze({
    none: ([first = 0n]) => first,
    sum: total,
    prod: (values) => values.reduce((a, b) => a * b, 1n),
    min: (values) => values.reduce((a, b) => (b < a ? b : a)),
    max: (values) => values.reduce((a, b) => (b > a ? b : a)),
    // The division is in the type itself. A number of ranks that it cannot hold would wrap, but no
    // case has that many.
    avg: (values, kind) => wrapTo(kind, total(values)) / BigInt(values.length),
    preMulSum: (values) => total(values.map((value, rank) => value * BigInt(scaleOf(rank)))),
  });

function total(values: readonly bigint[]): bigint {
  return values.reduce((a, b) => a + b, 0n);
}

function joinedIntegers(kind: IntegerKind, op: ReductionText, values: readonly bigint[]): Wanted {
  return { value: asElement(kind, wrapTo(kind, joinedExactly[op](values, kind))), within: 0 };
}

/** The relative error of one rounding: half of the last bit of the type of a value. */
const epsilon: Readonly<Record<FloatKind, number>> = {
  f64: 2 ** -53,
  f32: 2 ** -24,
  f16: 2 ** -11,
  bf16: 2 ** -8,
  e4m3: 2 ** -4,
  e5m2: 2 ** -3,
};

/**
 * The result of a reduction of floats in f64, nearly without rounding, and the magnitude to which
 * rounding errors are relative.
 */
const exactly: Readonly<Record<ReductionText, (values: readonly number[]) => readonly [value: number, scale: number]>> =
  Object.freeze({
    none: ([first = 0]) => [first, 0],
    sum: (values) => [summed(values), sizeOf(values)],
    prod: (values) => {
      const product = values.reduce((a, b) => a * b, 1);
      return [product, Math.abs(product)];
    },
    min: (values) => [Math.min(...values), 0],
    max: (values) => [Math.max(...values), 0],
    avg: (values) => [summed(values) / values.length, sizeOf(values) / values.length],
    preMulSum: (values) => {
      const scaled = values.map((value, rank) => value * scaleOf(rank));
      return [summed(scaled), sizeOf(scaled)];
    },
  });

function summed(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function sizeOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + Math.abs(b), 0);
}

function joinedFloats(kind: FloatKind, op: ReductionText, values: readonly number[]): Wanted {
  const [value, scale] = exactly[op](values);
  // A ring rounds to the type itself at each rank. All others use a wider type, and round once at
  // the end.
  const within = scale === 0 ? 0 : (values.length + 1) * epsilon[kind] * scale + ulpOf(kind, value);
  const limit = largestOf(kind);
  return { value: Math.max(-limit, Math.min(limit, value)), within };
}

/** A part of a rank's `send`, of `count` elements. */
export interface SentPart {
  readonly rank: number;
  readonly part: number;
}

/**
 * The parts of which a rank's result consists, in order: their sum, or one after the other.
 * `undefined` if the rank's `recv` does not change.
 */
export function partsFor(
  collective: CollectiveName,
  rank: number,
  ranks: number,
  root: number,
): readonly SentPart[] | undefined {
  const ofAll = (part: number): readonly SentPart[] =>
    Array.from({ length: ranks }, (_, each) => ({ rank: each, part }));
  switch (collective) {
    case 'allReduce':
    case 'allGather':
      return ofAll(0);
    case 'reduce':
    case 'gather':
      return rank === root ? ofAll(0) : undefined;
    case 'reduceScatter':
    case 'allToAll':
      return ofAll(rank);
    case 'broadcast':
      return [{ rank: root, part: 0 }];
    case 'scatter':
      return [{ rank: root, part: rank }];
  }
}

/**
 * The expected contents of `recv` of each rank, from its first element on. `undefined` if it does
 * not change.
 */
export function expected(
  { collective, element, op, ranks, count }: CollectiveCase,
  sent: readonly (readonly Element[])[],
  root: number,
): readonly (readonly Wanted[] | undefined)[] {
  return Array.from({ length: ranks }, (_, rank) => {
    const parts = partsFor(collective, rank, ranks, root)?.map((from) =>
      (sent[from.rank] ?? []).slice(from.part * count, (from.part + 1) * count),
    );
    if (parts === undefined) return undefined;
    if (!collectiveShapes[collective].reduces) return parts.flat().map((value) => ({ value, within: 0 }));
    return (parts[0] ?? []).map((_value, i) =>
      joined(
        element,
        op,
        parts.map((values) => values[i] ?? Number.NaN),
      ),
    );
  });
}
