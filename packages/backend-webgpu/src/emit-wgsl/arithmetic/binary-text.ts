import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { hasBinary, type BinaryOp } from '@nccl-ts/ir';
import { addAddress, mulAddress, subAddress } from '../library/addresses.ts';
import { divI32, divU32, remI32, remU32, shlU32 } from '../library/narrow-integers.ts';
import { divI64, divU64, remI64, remU64 } from '../library/wide-division.ts';
import {
  addU64,
  maxI64,
  maxU64,
  minI64,
  minU64,
  mulU64,
  shlU64,
  shrI64,
  shrU64,
  subU64,
} from '../library/wide-integers.ts';
import { call, unsupported, type ArithmeticContext } from './context.ts';
import { floatBinary } from './float-binary.ts';
import { isConstantText, literalText } from './literal.ts';
import { wgslScalar } from './representation.ts';
import { wrappedText } from './round-text.ts';

/**
 * Returns `a op b` for two scalars of `kind`. The texts must be atoms or parenthesized, and so is
 * the result.
 */
export function binaryText(op: BinaryOp, kind: ScalarKind, a: string, b: string, c: ArithmeticContext): string {
  if (!hasBinary(op, kind)) throw unsupported(op, kind);
  switch (wgslScalar(kind)) {
    case 'bool':
      throw unsupported(op, kind);
    case 'f32':
      return floatBinary(op, kind, a, b, c);
    case 'vec2u':
      return kind === 'addr' ? addressBinary(op, a, b, c) : wideBinary(op, scalarInfo[kind].signed, a, b, c);
    case 'i32':
    case 'u32':
      return narrowBinary(op, kind, a, b, c);
  }
}

function addressBinary(op: BinaryOp, a: string, b: string, c: ArithmeticContext): string {
  return call(c, op === 'add' ? addAddress : op === 'sub' ? subAddress : mulAddress, a, b, c.site);
}

function narrowBinary(op: BinaryOp, kind: ScalarKind, a: string, b: string, c: ArithmeticContext): string {
  const signed = wgslScalar(kind) === 'i32';
  const { bits, min = 0n } = scalarInfo[kind];
  const count = `(${signed ? `bitcast<u32>(${b})` : b} & ${bits - 1}u)`;
  switch (op) {
    case 'add':
      return wrappedText(kind, `(${a} + ${b})`);
    case 'sub':
      return wrappedText(kind, `(${a} - ${b})`);
    case 'mul':
      return wrappedText(kind, `(${a} * ${b})`);
    case 'and':
      return `(${a} & ${b})`;
    case 'or':
      return `(${a} | ${b})`;
    case 'xor':
      return `(${a} ^ ${b})`;
    case 'min':
    case 'max':
      return `${op}(${a}, ${b})`;
    case 'shr':
      return `(${a} >> ${count})`;
    case 'shl': {
      const word = signed ? `bitcast<u32>(${a})` : a;
      const constant = isConstantText(a) && isConstantText(b);
      const shifted = constant ? call(c, shlU32, word, count) : `(${word} << ${count})`;
      return wrappedText(kind, signed ? `bitcast<i32>(${shifted})` : shifted);
    }
    case 'div':
    case 'rem':
      if (!signed) return call(c, op === 'div' ? divU32 : remU32, a, b, c.site);
      return call(c, op === 'div' ? divI32 : remI32, a, b, literalText('i32', Number(min)), c.site);
  }
}

function wideBinary(op: BinaryOp, signed: boolean, a: string, b: string, c: ArithmeticContext): string {
  switch (op) {
    case 'and':
      return `(${a} & ${b})`;
    case 'or':
      return `(${a} | ${b})`;
    case 'xor':
      return `(${a} ^ ${b})`;
    case 'shl':
      return call(c, shlU64, a, `${b}.x`);
    case 'shr':
      return call(c, signed ? shrI64 : shrU64, a, `${b}.x`);
    case 'div':
      return call(c, signed ? divI64 : divU64, a, b, c.site);
    case 'rem':
      return call(c, signed ? remI64 : remU64, a, b, c.site);
    case 'min':
      return call(c, signed ? minI64 : minU64, a, b);
    case 'max':
      return call(c, signed ? maxI64 : maxU64, a, b);
    case 'add':
      return call(c, addU64, a, b);
    case 'sub':
      return call(c, subU64, a, b);
    case 'mul':
      return call(c, mulU64, a, b);
  }
}
