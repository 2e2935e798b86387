import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import type { BinaryOp, Builtin, CompareOp, MathFunction, UnaryOp } from '../expression.ts';
import type { CollectiveOp } from '../statement.ts';

// The printer and the parser share these tables, so that they always agree.

/** The form of the operator: between its operands, or as a function's name. */
export const binarySymbols: Readonly<Record<BinaryOp, string>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  rem: '%',
  and: '&',
  or: '|',
  xor: '^',
  shl: '<<',
  shr: '>>',
  min: 'min',
  max: 'max',
};

export const compareSymbols: Readonly<Record<CompareOp, string>> = {
  eq: '==',
  ne: '!=',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
};

export const logicalSymbols: Readonly<Record<'and' | 'or', string>> = { and: '&&', or: '||' };

export const unarySymbols: Readonly<Record<UnaryOp, string>> = {
  neg: 'neg',
  not: '!',
  bitNot: '~',
  popcount: 'popcount',
  clz: 'clz',
  ctz: 'ctz',
};

/** The symbol between a pointer and the number of elements by which it is moved. */
export const pointerOffsetSymbol = '+>';

export const builtinNames: Readonly<Record<Builtin, true>> = {
  'threadIdx.x': true,
  'threadIdx.y': true,
  'threadIdx.z': true,
  'blockIdx.x': true,
  'blockIdx.y': true,
  'blockIdx.z': true,
  'blockDim.x': true,
  'blockDim.y': true,
  'blockDim.z': true,
  'gridDim.x': true,
  'gridDim.y': true,
  'gridDim.z': true,
  threadLinear: true,
  blockThreads: true,
  laneId: true,
  warpSize: true,
};

export const mathNames: Readonly<Record<MathFunction, true>> = {
  abs: true,
  fma: true,
  sqrt: true,
  rsqrt: true,
  exp: true,
  exp2: true,
  log: true,
  log2: true,
  sin: true,
  cos: true,
  tanh: true,
  pow: true,
  floor: true,
  ceil: true,
  round: true,
  trunc: true,
};

export const orderNames: Readonly<Record<MemoryOrder, true>> = {
  relaxed: true,
  acquire: true,
  release: true,
  acq_rel: true,
  seq_cst: true,
};

export const scopeNames: Readonly<Record<AccessScope, true>> = {
  thread: true,
  block: true,
  cluster: true,
  device: true,
  system: true,
};

export const collectiveNames: Readonly<Record<CollectiveOp, true>> = {
  bcast: true,
  shfl: true,
  shflUp: true,
  shflDown: true,
  shflXor: true,
  ballot: true,
  any: true,
  all: true,
  activeMask: true,
};

/** True if `word` is a key of `table`. Narrows its type. */
export function isKey<K extends string>(table: Readonly<Record<K, unknown>>, word: string): word is K {
  return Object.hasOwn(table, word);
}

/** The key of `table` whose text is `symbol`. */
export function keyOf<K extends string>(table: Readonly<Record<K, string>>, symbol: string): K | undefined {
  for (const key in table) {
    if (table[key] === symbol) return key;
  }
  return undefined;
}
