import { approximate, exact, type ApproximateFidelity, type Fidelity } from '@nccl-ts/core';
import type { ExpressionKind, MathFunction } from './expression.ts';
import type { AtomicOp, CollectiveOp, StatementKind } from './statement.ts';

const engines = exact('packages/codegen/test/emit-js/emit-js-random.test.ts');
const conformance = exact('tooling/suite-sim/test/conformance.test.ts');
const litmus = exact('packages/memory-model/test/graph/litmus.test.ts');
const expressions = exact('packages/codegen/test/arithmetic/scalar-expressions.test.ts');
const atomics = exact('packages/codegen/test/arithmetic/atomics.test.ts');
const lanes = exact('packages/ptx/test/threads/lanes.test.ts');
/** Only the value is rounded: the order of accesses is that of the program. */
const rounded = approximate('a function of floats as the nearest value', 'rounds');

/** A clock that more than the time limits of waits depends on. */
export const clockFidelity: ApproximateFidelity = approximate("the clock as a count of the simulator's steps");

export const activeMaskFidelity: ApproximateFidelity = approximate(
  'the active lanes of a warp as those that arrive together',
);

export const loadBufferingFidelity: ApproximateFidelity = approximate(
  'a relaxed store as if it waited for loads whose values are used before it',
);

/** A load of words that were written before the launch is exact. */
export const nonCoherentFidelity: ApproximateFidelity = approximate(
  'ld.global.nc of bytes that the same launch stores, as a plain load',
);

/** A GPU gives no defined value there. */
export const absentLaneFidelity: ApproximateFidelity = approximate(
  "the value of a lane that takes no part in an exchange as the reader's own value",
);

/** How closely simulator and checker follow each kind of statement. */
export const statementFidelity: Readonly<Record<StatementKind, Fidelity>> = Object.freeze({
  assign: engines,
  load: litmus,
  store: litmus,
  atomic: litmus,
  fence: litmus,
  fenceProxy: exact('packages/memory-model/test/watch/proxies.test.ts'),
  sync: conformance,
  wait: conformance,
  waitAll: conformance,
  collective: lanes,
  if: engines,
  loop: engines,
  break: engines,
  continue: engines,
  block: engines,
  leave: engines,
  return: engines,
  assert: conformance,
  print: conformance,
  approximate: exact('packages/harness/test/approximations.test.ts'),
  clock: clockFidelity,
  call: conformance,
});

/** How closely they follow each exchange between threads. */
export const collectiveFidelity: Readonly<Record<CollectiveOp, Fidelity>> = Object.freeze({
  bcast: conformance,
  shfl: lanes,
  shflUp: lanes,
  shflDown: lanes,
  shflXor: lanes,
  ballot: lanes,
  any: lanes,
  all: lanes,
  activeMask: activeMaskFidelity,
});

export const atomicFidelity: Readonly<Record<AtomicOp, Fidelity>> = Object.freeze({
  add: atomics,
  sub: atomics,
  min: atomics,
  max: atomics,
  and: atomics,
  or: atomics,
  xor: atomics,
  exch: atomics,
  cas: atomics,
});

export const expressionFidelity: Readonly<Record<ExpressionKind, Fidelity>> = Object.freeze({
  constant: expressions,
  local: expressions,
  param: expressions,
  array: conformance,
  builtin: conformance,
  field: conformance,
  unary: expressions,
  binary: expressions,
  compare: expressions,
  logical: expressions,
  select: expressions,
  convert: expressions,
  bitcast: expressions,
  math: rounded,
  vector: exact('packages/codegen/test/arithmetic/vector-expressions.test.ts'),
  lane: exact('packages/codegen/test/arithmetic/vector-expressions.test.ts'),
  withLane: exact('packages/codegen/test/arithmetic/vector-expressions.test.ts'),
  windowPointer: conformance,
  addressPointer: exact('packages/checker/test/device-addresses.test.ts'),
  multicastPointer: conformance,
  unicastPointer: conformance,
  multicastSize: conformance,
  clusterPointer: exact('packages/ptx/test/threads/clusters.test.ts'),
  pointerOffset: conformance,
  pointerCast: conformance,
  intrinsic: conformance,
});

const functions = exact('packages/codegen/test/arithmetic/math.test.ts');

export const mathFidelity: Readonly<Record<MathFunction, Fidelity>> = Object.freeze({
  abs: functions,
  fma: functions,
  sqrt: functions,
  rsqrt: rounded,
  exp: rounded,
  exp2: rounded,
  log: rounded,
  log2: rounded,
  sin: rounded,
  cos: rounded,
  tanh: rounded,
  pow: rounded,
  floor: functions,
  ceil: functions,
  round: functions,
  trunc: functions,
});
