import type { ScalarKind } from '@nccl-ts/core';
import { hasMath, mathArity, scalarMath, type MathFunction } from '@nccl-ts/ir';
import { mathText } from '../../src/emit-wgsl/arithmetic/index.ts';
import type { Operation } from './evaluate.ts';

/** Those whose result is rounded once. */
export const exactFunctions: readonly MathFunction[] = ['abs', 'fma', 'sqrt', 'floor', 'ceil', 'round', 'trunc'];

/** Those that are near the true value. */
export const boundedFunctions: readonly MathFunction[] = [
  'rsqrt',
  'exp',
  'exp2',
  'log',
  'log2',
  'sin',
  'cos',
  'tanh',
  'pow',
];

/** The functions of `arity` arguments among `names` that `kind` has. */
export function mathOperations(
  kind: ScalarKind,
  arity: number,
  names: readonly MathFunction[],
): readonly (Operation & { readonly name: MathFunction })[] {
  return names
    .filter((name) => hasMath(name, kind) && mathArity[name] === arity)
    .map((name) => ({
      name,
      result: kind,
      text: (args, c) => mathText(name, kind, args, c),
      reference: (args) => scalarMath(name, kind, args),
    }));
}
