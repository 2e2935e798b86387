import { decodeArray, encodeArray, scalarInfo, storageArrays, type ScalarInfo, type ScalarKind } from '@nccl-ts/core';
import { mulsumScalar, type BenchOp } from '../bench-op.ts';
import { floatInput } from './float-input.ts';
import { hash, unit, whole } from './pseudo-random.ts';

/** The parameters of a buffer's elements. */
export interface PatternOf {
  readonly kind: ScalarKind;
  /** `undefined` if nothing is reduced. */
  readonly op: BenchOp | undefined;
  readonly nRanks: number;
  /** The seed. Another one gives other elements. */
  readonly seed: number;
  readonly length: number;
}

/** The first elements that rank `rank` sends, in their memory representation. */
export function inputPattern(of: PatternOf, rank: number): Uint8Array {
  const { kind } = of;
  const info = scalarInfo[kind];
  const values = info.class === 'float' ? floatInputs(of, rank, info.significandBits) : intInputs(of, rank, info);
  return bytesOf(values);
}

/**
 * The first elements of the reduction of all ranks' inputs. They are computed with 64-bit floats,
 * or with whole numbers that wrap like the type's, and rounded once to the type. An average of
 * whole numbers drops the fraction.
 */
export function reducedPattern(of: PatternOf): Uint8Array {
  const { kind, nRanks } = of;
  const first = decodeArray(kind, inputPattern(of, 0));
  if (first instanceof BigInt64Array || first instanceof BigUint64Array) return bytesOf(reducedWide(of, first));
  const info = scalarInfo[kind];
  if (info.class !== 'float') return bytesOf(reducedInts(of, new storageArrays[kind](first.buffer)));
  const total = Float64Array.from(first, (value) => scaled(of.op, 0, value));
  for (let rank = 1; rank < nRanks; rank++) {
    const next = decodeArray(kind, inputPattern(of, rank));
    for (let i = 0; i < total.length; i++)
      total[i] = combined(of.op, total[i] ?? 0, scaled(of.op, rank, Number(next[i])));
  }
  return bytesOf(
    encodeArray(
      kind,
      Array.from(total, (value) => finished(of, value)),
    ),
  );
}

function combined(op: BenchOp | undefined, a: number, b: number): number {
  switch (op) {
    case 'prod':
      return a * b;
    case 'max':
      return Math.max(a, b);
    case 'min':
      return Math.min(a, b);
    case 'sum':
    case 'avg':
    case 'mulsum':
    case undefined:
      return a + b;
  }
}

function finished({ op, nRanks }: PatternOf, total: number): number {
  return op === 'avg' ? total / nRanks : total;
}

/** A rank's value before the reduction. */
function scaled(op: BenchOp | undefined, rank: number, value: number): number {
  return op === 'mulsum' ? value * mulsumScalar(rank) : value;
}

/** Values stored in a typed array of integers wrap, as the type does. */
function reducedInts(of: PatternOf, total: ArrayLike<number | bigint> & ArrayBufferView): ArrayBufferView {
  if (total instanceof BigInt64Array || total instanceof BigUint64Array) return total;
  const sums = new storageArrays[of.kind](total.buffer);
  if (sums instanceof BigInt64Array || sums instanceof BigUint64Array) return sums;
  for (let rank = 1; rank < of.nRanks; rank++) {
    const next = decodeArray(of.kind, inputPattern(of, rank));
    for (let i = 0; i < sums.length; i++) {
      const [a, b] = [sums[i] ?? 0, scaled(of.op, rank, Number(next[i]))];
      sums[i] = of.op === 'prod' ? Math.imul(a, b) : combined(of.op, a, b);
    }
  }
  for (let i = 0; i < sums.length; i++) sums[i] = Math.trunc(finished(of, sums[i] ?? 0));
  return sums;
}

function reducedWide(of: PatternOf, total: BigInt64Array | BigUint64Array): ArrayBufferView {
  const { op, nRanks } = of;
  for (let rank = 1; rank < nRanks; rank++) {
    const next = decodeArray(of.kind, inputPattern(of, rank));
    for (let i = 0; i < total.length; i++) {
      const [a, b] = [total[i] ?? 0n, BigInt(next[i] ?? 0) * (op === 'mulsum' ? BigInt(mulsumScalar(rank)) : 1n)];
      total[i] = op === 'prod' ? a * b : op === 'max' ? (a > b ? a : b) : op === 'min' ? (a < b ? a : b) : a + b;
    }
  }
  for (let i = 0; i < total.length; i++) {
    const value = total[i] ?? 0n;
    if (op === 'avg') total[i] = value / BigInt(nRanks);
  }
  return total;
}

function floatInputs({ kind, op, nRanks, seed, length }: PatternOf, rank: number, significand: number) {
  const values = Array.from({ length }, (_, index) => floatInput(op, significand, { seed, rank, nRanks, index }));
  return encodeArray(kind, values);
}

/** Any bits, except that products have no zeros, and the sums of averages do not overflow. */
function intInputs({ kind, op, nRanks, seed, length }: PatternOf, rank: number, info: ScalarInfo): ArrayBufferView {
  const values = new storageArrays[kind](length);
  const wide = values instanceof BigInt64Array || values instanceof BigUint64Array;
  if (op === 'avg') {
    const most = Number((info.max ?? 0n) / BigInt(nRanks));
    // A double cannot hold more whole numbers, and 2^50 are enough.
    const limit = Math.min(most, 2 ** 50);
    for (let i = 0; i < length; i++) {
      const value = whole(unit(seed, rank, i, 0), info.signed ? -limit : 0, limit);
      if (wide) values[i] = BigInt(value);
      else values[i] = value;
    }
    return values;
  }
  const bytes = new DataView(values.buffer);
  const words = values.byteLength - (values.byteLength % 4);
  for (let at = 0; at < words; at += 4) bytes.setUint32(at, hash(seed, rank, at, 0), true);
  for (let at = words; at < values.byteLength; at++) bytes.setUint8(at, hash(seed, rank, at, 1) & 0xff);
  if (op === 'prod') {
    for (let i = 0; i < length; i++) {
      if (wide) values[i] = values[i] === 0n ? 1n : (values[i] ?? 1n);
      else if (values[i] === 0) values[i] = 1;
    }
  }
  return values;
}

function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
