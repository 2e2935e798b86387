import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { BinaryOp, CompareOp, MathFunction, UnaryOp } from '../expression.ts';

// The scalars that each operation supports. e4m3 and e5m2 are storage types, and are converted
// before any computation.

type Domain = (kind: ScalarKind) => boolean;

const integers: Domain = (kind) => scalarInfo[kind].class === 'int';
const floats: Domain = (kind) => scalarInfo[kind].class === 'float' && scalarInfo[kind].bits > 8;
const numbers: Domain = (kind) => integers(kind) || floats(kind);
const numbersAndAddresses: Domain = (kind) => numbers(kind) || kind === 'addr';
const bool: Domain = (kind) => kind === 'bool';

const unaryDomains: Readonly<Record<UnaryOp, Domain>> = {
  neg: numbers,
  not: bool,
  bitNot: integers,
  popcount: integers,
  clz: integers,
  ctz: integers,
};

const binaryDomains: Readonly<Record<BinaryOp, Domain>> = {
  add: numbersAndAddresses,
  sub: numbersAndAddresses,
  mul: numbersAndAddresses,
  div: numbers,
  rem: numbers,
  and: integers,
  or: integers,
  xor: integers,
  shl: integers,
  shr: integers,
  min: numbers,
  max: numbers,
};

/** True if the language has `op` on `kind`. */
export function hasUnary(op: UnaryOp, kind: ScalarKind): boolean {
  return unaryDomains[op](kind);
}

/** True if the language has `op` on `kind`. */
export function hasBinary(op: BinaryOp, kind: ScalarKind): boolean {
  return binaryDomains[op](kind);
}

/** True if the language has `op` on `kind`. Bools support only equality. */
export function hasCompare(op: CompareOp, kind: ScalarKind): boolean {
  return numbersAndAddresses(kind) || (kind === 'bool' && (op === 'eq' || op === 'ne'));
}

/** True if the language has the math function on `kind`. */
export function hasMath(name: MathFunction, kind: ScalarKind): boolean {
  return name === 'abs' ? numbers(kind) : floats(kind);
}

/** True if the language has the conversion. Only conversions from floats to `addr` are missing. */
export function hasConvert(from: ScalarKind, to: ScalarKind): boolean {
  return to !== 'addr' || scalarInfo[from].class !== 'float';
}

/** True if a bitcast from or to `kind` is allowed. All bit patterns of the type must be valid. */
export function hasBitcast(kind: ScalarKind): boolean {
  return kind !== 'bool' && kind !== 'addr';
}
