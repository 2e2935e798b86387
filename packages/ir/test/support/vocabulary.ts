import { scalarInfo, scalarKinds, type ScalarKind } from '@nccl-ts/core';
import {
  handleType,
  pointerType,
  roundFloat,
  scalarType,
  vectorType,
  type ArrayDeclaration,
  type Capabilities,
  type Param,
  type ScalarValue,
  type Span,
  type Type,
  type ValueType,
  type VectorType,
} from '@nccl-ts/ir';
import type { Choices } from './choices.ts';

/** The parts that generated modules are made of. */
export const vectorTypes: readonly VectorType[] = [
  vectorType('f32', 4),
  vectorType('bf16', 8),
  vectorType('u32', 4),
  vectorType('i64', 2),
  vectorType('e4m3', 4),
];
export const valueTypes: readonly ValueType[] = [...scalarKinds.map(scalarType), ...vectorTypes];
export const pointerTypes: readonly Type[] = [
  pointerType(scalarType('f32'), 'global'),
  pointerType(scalarType('u32'), 'global'),
  pointerType(vectorType('f32', 4), 'global'),
  pointerType(scalarType('u64'), 'global'),
];
export const devComm: Type = handleType('DevComm');
export const window: Type = handleType('Window');

export const params: readonly Param[] = [
  { name: 'comm', type: devComm },
  { name: 'win', type: window },
  { name: 'count', type: scalarType('u32') },
  { name: 'offset', type: scalarType('addr') },
  { name: 'scale', type: scalarType('f32') },
  { name: 'options.deep', type: scalarType('i64') },
  ...pointerTypes.map((type, index) => ({ name: `pointer${index}`, type })),
];

export const arrays: readonly ArrayDeclaration[] = [
  { name: 'scratch', space: 'shared', element: scalarType('f32'), length: 64, span: { source: 0, start: 1, end: 2 } },
  { name: 'mine', space: 'local', element: vectorType('u32', 4), length: 8, span: { source: 0, start: 3, end: 9 } },
  { name: 'a "b"\n', space: 'shared', element: scalarType('u32'), length: 1, span: { source: 1, start: 0, end: 0 } },
];

/** Everything is allowed. */
export const everything: Capabilities = {
  backend: 'test',
  scalars: scalarKinds,
  maxBlockThreads: 1024,
  maxSharedBytes: 1 << 16,
  divergentWaits: true,
  subgroups: true,
  print: true,
  multimem: true,
  primitives: ['gin.put', 'gin.flush', 'barrier.vote'],
};

const floats: readonly number[] = [0, 1, -0, 0.5, -1, 2, 1.5, 3, 1e-7, 65504, 1e30, -2.5, Infinity, NaN];

/** A value of `kind`, often one at an edge. */
export function scalarValue(choices: Choices, kind: ScalarKind): ScalarValue {
  const info = scalarInfo[kind];
  switch (info.class) {
    case 'bool':
      return choices.below(2) === 1;
    case 'float':
      return roundFloat(kind, choices.of(floats));
    case 'int':
    case 'addr': {
      const edges = [0n, 1n, 2n, 3n, info.min, info.max, info.max - 1n, 7n, 31n, 100n, -1n];
      const value = choices.of(edges.filter((edge) => edge >= info.min && edge <= info.max));
      return info.bits === 64 && info.class === 'int' ? value : Number(value);
    }
  }
}

export function span(choices: Choices): Span {
  const start = choices.below(50);
  const here = { source: choices.below(2), start, end: start + choices.below(9) };
  return choices.oneIn(5) ? { ...here, inlinedAt: span(choices) } : here;
}
