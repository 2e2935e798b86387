import { scalarKinds, type ScalarKind } from '@nccl-ts/core';
import {
  hasBinary,
  hasCompare,
  hasConvert,
  hasUnary,
  scalarBinary,
  scalarCompare,
  scalarConvert,
  scalarUnary,
  type BinaryOp,
  type CompareOp,
  type UnaryOp,
} from '@nccl-ts/ir';
import { binaryText, compareText, convertText, unaryText } from '../../src/emit-wgsl/arithmetic/index.ts';
import type { Operation } from './evaluate.ts';

/** All kinds that WGSL has a representation of. */
export const wgslKinds: readonly ScalarKind[] = scalarKinds.filter((kind) => kind !== 'f64');

const binaryOps: readonly BinaryOp[] = [
  'add',
  'sub',
  'mul',
  'div',
  'rem',
  'and',
  'or',
  'xor',
  'shl',
  'shr',
  'min',
  'max',
];
const unaryOps: readonly UnaryOp[] = ['neg', 'not', 'bitNot', 'popcount', 'clz', 'ctz'];
const compareOps: readonly CompareOp[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** Everything with two operands. */
export function binaryOperations(kind: ScalarKind): readonly Operation[] {
  return [
    ...binaryOps
      .filter((op) => hasBinary(op, kind))
      .map((op): Operation => ({
        name: op,
        result: kind,
        text: ([a = '', b = ''], c) => binaryText(op, kind, a, b, c),
        reference: ([a = 0, b = 0]) => scalarBinary(op, kind, a, b),
      })),
    ...compareOps
      .filter((op) => hasCompare(op, kind))
      .map((op): Operation => ({
        name: op,
        result: 'bool',
        text: ([a = '', b = ''], c) => compareText(op, kind, a, b, c),
        reference: ([a = 0, b = 0]) => scalarCompare(op, a, b),
      })),
  ];
}

/** Everything with one operand but math functions; conversions are between all kinds. */
export function unaryOperations(kind: ScalarKind): readonly Operation[] {
  return [
    ...unaryOps
      .filter((op) => hasUnary(op, kind))
      .map((op): Operation => ({
        name: op,
        result: kind,
        text: ([a = ''], c) => unaryText(op, kind, a, c),
        reference: ([a = 0]) => scalarUnary(op, kind, a),
      })),
    ...wgslKinds
      .filter((to) => to !== kind && hasConvert(kind, to))
      .map((to): Operation => ({
        name: `to ${to}`,
        result: to,
        text: ([a = ''], c) => convertText(kind, to, a, c),
        reference: ([a = 0]) => scalarConvert(kind, to, a),
      })),
  ];
}
