import { readdirSync, readFileSync } from 'node:fs';

import { memoryOrders, memoryScopes } from '@nccl-ts/core';
import {
  type AtomicOp,
  type BinaryOp,
  type CollectiveOp,
  type CompareOp,
  type CoopKind,
  type ExpressionKind,
  type MathFunction,
  type StatementKind,
  type UnaryOp,
} from '@nccl-ts/ir';
import type { Builtins, Ptr } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';

import { kernels } from '../src/run-kernels.ts';
import { usedIn } from '../src/used-in.ts';

/** It must be complete to compile. */
type All<Word extends string> = Readonly<Record<Word, true>>;

const builtins: All<keyof Builtins> = {
  bool: true,
  i8: true,
  u8: true,
  i16: true,
  u16: true,
  i32: true,
  u32: true,
  i64: true,
  u64: true,
  f16: true,
  bf16: true,
  f32: true,
  f64: true,
  e4m3: true,
  e5m2: true,
  addr: true,
  vec: true,
  threadIdx: true,
  blockIdx: true,
  blockDim: true,
  gridDim: true,
  warpSize: true,
  laneId: true,
  coopThread: true,
  coopWarp: true,
  coopTile: true,
  coopLanes: true,
  coopWarpSpan: true,
  coopCta: true,
  coopCoalesced: true,
  coopAny: true,
  coopGetLaneMask: true,
  coopIsThread: true,
  coopWithinWarp: true,
  fence: true,
  fenceProxy: true,
  launchDependents: true,
  gridDependencySync: true,
  waitUntil: true,
  shfl: true,
  shflUp: true,
  shflDown: true,
  shflXor: true,
  ballot: true,
  any: true,
  all: true,
  math: true,
  min: true,
  max: true,
  abs: true,
  fma: true,
  popcount: true,
  clz: true,
  ctz: true,
  lane: true,
  withLane: true,
  bitcast: true,
  sharedArray: true,
  localArray: true,
  unroll: true,
  clock: true,
  assert: true,
  requires: true,
  typeOf: true,
  sizeOf: true,
  print: true,
};

const pointerMembers: All<Extract<keyof Ptr, string>> = {
  load: true,
  store: true,
  offset: true,
  cast: true,
  space: true,
  misalignment: true,
  atomicAdd: true,
  atomicSub: true,
  atomicMin: true,
  atomicMax: true,
  atomicAnd: true,
  atomicOr: true,
  atomicXor: true,
  atomicExch: true,
  atomicCas: true,
};

// Front ends and checks write `approximate`, and no kernel does.
const statements: All<Exclude<StatementKind, 'approximate'>> = {
  assign: true,
  load: true,
  store: true,
  atomic: true,
  fence: true,
  fenceProxy: true,
  sync: true,
  wait: true,
  waitAll: true,
  collective: true,
  if: true,
  loop: true,
  break: true,
  continue: true,
  block: true,
  leave: true,
  return: true,
  assert: true,
  print: true,
  clock: true,
  call: true,
};

/**
 * No text of the language makes a pointer from a number, or reaches the shared memory of another
 * CTA. Only readers of other languages do.
 */
const expressions: All<Exclude<ExpressionKind, 'addressPointer' | 'clusterPointer'>> = {
  constant: true,
  local: true,
  param: true,
  array: true,
  builtin: true,
  field: true,
  unary: true,
  binary: true,
  compare: true,
  logical: true,
  select: true,
  convert: true,
  bitcast: true,
  math: true,
  vector: true,
  lane: true,
  withLane: true,
  windowPointer: true,
  multicastPointer: true,
  unicastPointer: true,
  multicastSize: true,
  pointerOffset: true,
  pointerCast: true,
  intrinsic: true,
};

const binaryOps: All<BinaryOp> = {
  add: true,
  sub: true,
  mul: true,
  div: true,
  rem: true,
  and: true,
  or: true,
  xor: true,
  shl: true,
  shr: true,
  min: true,
  max: true,
};

const unaryOps: All<UnaryOp> = { neg: true, not: true, bitNot: true, popcount: true, clz: true, ctz: true };
const compareOps: All<CompareOp> = { eq: true, ne: true, lt: true, le: true, gt: true, ge: true };

const mathFunctions: All<MathFunction> = {
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

const atomicOps: All<AtomicOp> = {
  add: true,
  sub: true,
  min: true,
  max: true,
  and: true,
  or: true,
  xor: true,
  exch: true,
  cas: true,
};

const collectives: All<CollectiveOp> = {
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

const coops: All<CoopKind> = { tile: true, lanes: true, warpSpan: true, cta: true };

const words = (all: Readonly<Record<string, true>>): readonly string[] => Object.keys(all).toSorted();

const used = new Set(kernels.flatMap((kernel) => [...usedIn(kernel.compile())]));
const usedOf = (group: string): readonly string[] =>
  [...used]
    .filter((entry) => entry.startsWith(`${group}.`))
    .map((entry) => entry.slice(group.length + 1))
    .toSorted();

const folder = new URL('../src/kernels/', import.meta.url);
const text = readdirSync(folder)
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n');

describe('the kernels of the matrix', () => {
  it('use every built-in', () => {
    expect(words(builtins).filter((name) => !new RegExp(`\\b${name}\\b(?!:)`).test(text))).toEqual([]);
  });

  it('use every member of a pointer', () => {
    expect(words(pointerMembers).filter((name) => !new RegExp(`\\.${name}\\b`).test(text))).toEqual([]);
  });

  it.each([
    'const ',
    'let ',
    'if (',
    'else ',
    'for (',
    'while (',
    'do {',
    'break;',
    'continue;',
    'return;',
    'of unroll(',
  ])('the kernels of the matrix use %s', (syntax) => expect(text).toContain(syntax));

  it('use every operator', () => {
    const binary = ['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'];
    const compound = binary.map((operator) => ` ${operator}= `);
    const others = ['&&', '||', '===', '==', '!==', '<', '<=', '>', '>=', '?', '='].map((operator) => ` ${operator} `);
    const prefixes = ['++y', '--y', 'y++', 'y--', '!(', '~y', '-y', '+before'];
    const all = [...binary.map((operator) => ` ${operator} `), ...compound, ...others, ...prefixes];
    expect(all.filter((operator) => !text.includes(operator))).toEqual([]);
  });

  it.each([
    ['statement', words(statements)],
    ['expression', words(expressions)],
    ['unary', words(unaryOps)],
    ['binary', words(binaryOps)],
    ['compare', words(compareOps)],
    ['math', words(mathFunctions)],
    ['atomic', words(atomicOps)],
    ['collective', words(collectives)],
    ['coop', words(coops)],
    ['order', memoryOrders.toSorted()],
    ['scope', memoryScopes.toSorted()],
  ])('use every %s of the IR', (group, all) => expect(usedOf(group)).toEqual(all));
});
