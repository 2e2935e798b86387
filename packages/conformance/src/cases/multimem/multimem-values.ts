import type { Communicator, Window } from '@nccl-ts/communicator';
import { decodeArray, encodeArray, type ScalarKind } from '@nccl-ts/core';
import { vec, type ScalarParam, type ValueParam } from '@nccl-ts/kernel';
import type { MultimemOp } from '@nccl-ts/multimem';
import { wrapTo } from '../fixture/integers.ts';
import { scrambled } from '../fixture/numbers.ts';
import { roundTo } from '../fixture/round-float.ts';

/** The types that multimem supports, written independently from PTX's tables. */
export type MultimemKind = 'i32' | 'u32' | 'i64' | 'u64' | 'f32' | 'f64' | 'f16' | 'bf16' | 'e4m3' | 'e5m2';

const integerOps: readonly MultimemOp[] = ['add', 'min', 'max', 'and', 'or', 'xor'];

interface Facts {
  /** The number of elements of an access. */
  readonly widths: readonly number[];
  readonly loadReduce: readonly MultimemOp[];
  readonly reduce: readonly MultimemOp[];
  /** Additional scalars that kernels need: the accumulator. */
  readonly scalars: readonly ScalarKind[];
  /** A float so large that 1 is half of its last bit. */
  readonly large: number;
}

const integer: Facts = { widths: [1], loadReduce: integerOps, reduce: integerOps, scalars: [], large: 0 };

export const factsOf: Readonly<Record<MultimemKind, Facts>> = Object.freeze({
  i32: integer,
  u32: integer,
  i64: { ...integer, scalars: ['i64'] },
  u64: { ...integer, scalars: ['u64'] },
  f32: { widths: [1, 2, 4], loadReduce: ['add'], reduce: ['add'], scalars: [], large: 0 },
  f64: { widths: [1], loadReduce: ['add'], reduce: ['add'], scalars: ['f64'], large: 0 },
  f16: { widths: [2, 4, 8], loadReduce: ['add', 'min', 'max'], reduce: ['add'], scalars: ['f16'], large: 2048 },
  bf16: { widths: [2, 4, 8], loadReduce: ['add', 'min', 'max'], reduce: ['add'], scalars: ['bf16'], large: 256 },
  e4m3: { widths: [4, 8, 16], loadReduce: ['add', 'min', 'max'], reduce: [], scalars: ['e4m3', 'f16'], large: 16 },
  e5m2: { widths: [4, 8, 16], loadReduce: ['add', 'min', 'max'], reduce: [], scalars: ['e5m2', 'f16'], large: 8 },
});

/** The type itself, or a vector of it. */
export function typeOf(T: ScalarParam<MultimemKind, unknown>, width: number): ValueParam {
  return width === 1 ? T : vec(T, width);
}

/**
 * The data of a rank. Integers have any bits. Floats are small whole numbers, whose sums are exact
 * in any order. If the accumulator is wider, the first rank's first element is large and the
 * others' are 1, so that only the accumulator can hold the sum.
 */
export function valuesOf(kind: MultimemKind, rank: number, n: number): readonly (number | bigint)[] {
  const random = scrambled(2 * n, 17 + rank);
  return Array.from({ length: n }, (_, i) => {
    const [high = 0, low = 0] = [random[2 * i], random[2 * i + 1]];
    if (isInteger(kind)) return cut(kind, (BigInt(high) << 33n) ^ BigInt(low));
    const { large } = factsOf[kind];
    if (i === 0 && large > 0) return rank === 0 ? large : 1;
    return (high % 3) - 1;
  });
}

/** The combined result of `values`. */
export function combined(kind: MultimemKind, op: MultimemOp, values: readonly (number | bigint)[]): number | bigint {
  if (isInteger(kind))
    return cut(
      kind,
      values.map(BigInt).reduce((a, b) => integerResult(op, a, b)),
    );
  const all = values.map(Number);
  if (op === 'min') return Math.min(...all);
  if (op === 'max') return Math.max(...all);
  return roundTo(
    kind,
    all.reduce((a, b) => a + b),
  );
}

function integerResult(op: MultimemOp, a: bigint, b: bigint): bigint {
  switch (op) {
    case 'add':
      return a + b;
    case 'min':
      return a < b ? a : b;
    case 'max':
      return a > b ? a : b;
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
  }
}

function isInteger(kind: MultimemKind): kind is 'i32' | 'u32' | 'i64' | 'u64' {
  return kind === 'i32' || kind === 'u32' || kind === 'i64' || kind === 'u64';
}

/** A result of `decodeArray`: bigints for 64 bits, and otherwise numbers. */
function cut(kind: 'i32' | 'u32' | 'i64' | 'u64', value: bigint): number | bigint {
  const wrapped = wrapTo(kind, value);
  return kind === 'i64' || kind === 'u64' ? wrapped : Number(wrapped);
}

/** A window of the rank that holds `values`. */
export async function filled(
  comm: Communicator,
  kind: MultimemKind,
  values: readonly (number | bigint)[],
): Promise<Window> {
  const win = await comm.allocWindow(kind, values.length);
  const { buffer, byteOffset, byteLength } = encodeArray(kind, values);
  await win.write(new Uint8Array(buffer, byteOffset, byteLength));
  return win;
}

/** The contents of the rank's own copy. */
export async function held(win: Window, kind: MultimemKind): Promise<ArrayLike<number | bigint>> {
  return decodeArray(kind, await win.read(new Uint8Array(win.bytes)));
}
