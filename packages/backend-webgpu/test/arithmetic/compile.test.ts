import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { isWide, roundFloat, type MathFunction, type ScalarValue } from '@nccl-ts/ir';
import { expect, inject, it } from 'vitest';
import { libraryText, literalText, wgslScalar, type LibraryFunction } from '../../src/emit-wgsl/arithmetic/index.ts';
import { compileMessages, noDeviceReason, nullDevice, softwareDevice } from '../support/gpu.ts';
import { contextOf, differences, shaderOf, surroundings, type Operation } from './evaluate.ts';
import { boundedFunctions, exactFunctions, mathOperations } from './math-functions.ts';
import { binaryOperations, unaryOperations, wgslKinds } from './operations.ts';
import { corners } from './values.ts';

/** The quick tests have one type. */
const isNow = (kind: ScalarKind): boolean => (kind === 'i32') !== inject('slow');

const compiler = await nullDevice();
const mathNames: readonly MathFunction[] = [...exactFunctions, ...boundedFunctions];

function operationsOf(kind: ScalarKind, arity: number): readonly Operation[] {
  const math = mathOperations(kind, arity, mathNames);
  return arity === 1 ? [...unaryOperations(kind), ...math] : arity === 2 ? [...binaryOperations(kind), ...math] : math;
}

it.for(wgslKinds.filter(isNow))('%s: all operations of variables compile', async (kind) => {
  for (const exact of [true, false]) {
    for (const arity of [1, 2, 3]) {
      const code = shaderOf(kind, arity, operationsOf(kind, arity), exact);
      expect(await compileMessages(compiler, code)).toBe('');
    }
  }
});

/** A few values, the extreme ones last. */
function few(kind: ScalarKind): readonly ScalarValue[] {
  const info = scalarInfo[kind];
  switch (info.class) {
    case 'bool':
      return [false, true];
    case 'float': {
      const finite = [1.5, -0.5, info.minSubnormal, -info.maxFinite].map((value) => roundFloat(kind, value));
      return [...finite, ...(kind === 'e4m3' ? [] : [Infinity]), info.maxFinite, -0, 0, NaN];
    }
    case 'int':
    case 'addr': {
      const bits = BigInt(info.bits);
      const values = [0n, 1n, bits - 1n, bits, ...(info.signed ? [-1n] : []), info.max - 1n, info.min, info.max];
      return isWide(kind) ? values : values.map(Number);
    }
  }
}

it.for(wgslKinds.filter(isNow))('%s: all operations of constants compile', async (kind) => {
  for (const exact of [true, false]) {
    const used = new Set<LibraryFunction>();
    const c = contextOf(exact, used);
    const literals = few(kind).map((value) => literalText(kind, value));
    const texts = literals.flatMap((a) => [
      ...operationsOf(kind, 1).map(({ text }) => text([a], c)),
      ...operationsOf(kind, 3).map(({ text }) => text([a, a, a], c)),
      // Also with constants on one side, since WGSL checks a constant shift count or divisor.
      ...operationsOf(kind, 2).flatMap(({ text }) => [text(['variable', a], c), text([a, 'variable'], c)]),
      ...literals.flatMap((b) => operationsOf(kind, 2).map(({ text }) => text([a, b], c))),
    ]);
    const code = [
      surroundings,
      '@group(0) @binding(0) var<storage> zero: u32;',
      'fn nts_zero() -> u32 {\n  return zero;\n}',
      libraryText(used),
      `fn constants(variable: ${wgslScalar(kind)}) {`,
      ...texts.map((text, i) => `  let value_${i} = ${text};`),
      '}',
    ].join('\n');
    expect(await compileMessages(compiler, code)).toBe('');
  }
});

// Not all operations, because a software driver compiles each anew, and a division of constants
// equals one of variables.
const folded: readonly string[] = ['neg', 'ceil', 'add', 'mul', 'shl', 'shr', 'ne', 'lt'];

/**
 * Returns an operation in which some operands are constants. If `row` is undefined, it is the
 * operation of variables.
 */
function ofConstants(kind: ScalarKind, operation: Operation, row: readonly (ScalarValue | undefined)[]): Operation {
  return {
    name: `${operation.name} (${row.map((value) => (Object.is(value, -0) ? '-0' : String(value ?? 'x'))).join(', ')})`,
    result: operation.result,
    text: ([variable = ''], c) => {
      const operands = row.map((value) => (value === undefined ? variable : literalText(kind, value)));
      return operation.text(operands, c);
    },
    reference: ([variable = 0]) => operation.reference(row.map((value) => value ?? variable)),
  };
}

it.for(wgslKinds.filter(isNow))(
  '%s: constants and operations on them have the right values',
  async (kind, { skip }) => {
    const device = await softwareDevice();
    if (device === undefined) return skip(noDeviceReason);
    const literals: readonly Operation[] = corners(kind).map((value) => ({
      name: `literal ${String(value)}`,
      // A narrower float is stored in an f32.
      result: wgslScalar(kind) === 'f32' ? 'f32' : kind,
      text: () => literalText(kind, value),
      reference: () => value,
    }));
    const values = few(kind).toReversed().slice(0, 3);
    const [first = 0, second = 0, third = 0] = values;
    const operations = [
      ...[...unaryOperations(kind), ...mathOperations(kind, 1, exactFunctions)].flatMap((operation) =>
        [...values, ...few(kind).slice(0, 2)].map((value) => ofConstants(kind, operation, [value])),
      ),
      ...binaryOperations(kind).flatMap((operation) => [
        ofConstants(kind, operation, [first, second]),
        ofConstants(kind, operation, [second, first]),
        ofConstants(kind, operation, [third, second]),
        ofConstants(kind, operation, [undefined, second]),
        ofConstants(kind, operation, [second, undefined]),
      ]),
    ].filter(({ name }) => folded.some((start) => name.startsWith(`${start} `)));
    const rows = corners(kind).map((value) => [value]);
    expect(await differences(device, kind, rows, [...literals, ...operations])).toEqual([]);
  },
);
