import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { BinaryOp, CompareOp, MathFunction, UnaryOp } from '../expression.ts';

// Which scalars each operation is defined for. e4m3 and e5m2 only store: they are converted before
// anything is computed.

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

/** True if the language has `op` on `kind`: bools are only equal or not. */
export function hasCompare(op: CompareOp, kind: ScalarKind): boolean {
  return numbersAndAddresses(kind) || (kind === 'bool' && (op === 'eq' || op === 'ne'));
}

/** True if the language has the math function on `kind`. */
export function hasMath(name: MathFunction, kind: ScalarKind): boolean {
  return name === 'abs' ? numbers(kind) : floats(kind);
}

/** True if there is a conversion: between all scalars, except from floats to `addr`. */
export function hasConvert(from: ScalarKind, to: ScalarKind): boolean {
  return to !== 'addr' || scalarInfo[from].class !== 'float';
}

/**
 * True if a value of `kind` may be reinterpreted, or come of that: its bytes must all mean
 * something.
 */
export function hasBitcast(kind: ScalarKind): boolean {
  return kind !== 'bool' && kind !== 'addr';
}
