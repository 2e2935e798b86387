import { at } from '@nccl-ts/core';
/* oxlint-disable no-unused-expressions, no-constant-condition, no-constant-binary-expression, no-unmodified-loop-condition,
   misrefactored-assign-op, no-var -- what looks odd in these kernels is what they are about */
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const threads = 64;
const each = (f: (i: number) => number): { type: 'u32'; values: readonly number[] } => ({
  type: 'u32',
  values: count(threads).map(f),
});

const ifElseKernel = kernel({ name: 'ifElse', use: { lsa }, params: slots }, ({ lsa, threadIdx, u32 }, { out }) => {
  const i = threadIdx.x;
  const o = lsa.localPointer(out, u32, 0);
  let v = u32(0);
  if (i < 10) v = 1;
  else if (i < 20) {
    v = 2;
    if (i % 2 === 0) v += 10;
  } else if (i === 40) v = 3;
  else {
    if (i > 50) v = 4;
  }
  if (i === 63) v += 100;
  o.store(i, v);
});

export const ifElse: Case<'language/if-else'> = computeCase({
  id: 'language/if-else',
  mirrors: 'if, else',
  kernel: ifElseKernel,
  block: threads,
  expected: () =>
    each((i) => {
      const v = i < 10 ? 1 : i < 20 ? 2 + (i % 2 === 0 ? 10 : 0) : i === 40 ? 3 : i > 50 ? 4 : 0;
      return v + (i === 63 ? 100 : 0);
    }),
});

const uniformKernel = kernel(
  { name: 'uniformBranches', use: { lsa, debug: false, mode: 'fast' }, params: slots },
  ({ lsa, debug, mode, threadIdx, blockIdx, blockDim, u32 }, { input, out }) => {
    const i = threadIdx.x + blockDim.x * blockIdx.x;
    const o = lsa.localPointer(out, u32, 0);
    let v = u32(7);
    // The condition is known at compile time, so the other side is not even type-checked.
    if (debug) v = 99;
    if (mode === 'fast') v += 1;
    else v += 1000;
    // A condition that is the same for all threads of a CTA.
    if (blockIdx.x === 1) v *= 2;
    if (lsa.localPointer(input, u32, 0).load(0) > 3) v += 5;
    o.store(i, v);
  },
);

export const uniformBranches: Case<'language/uniform-branches'> = computeCase({
  id: 'language/uniform-branches',
  mirrors: 'if constexpr; branches that are the same for all threads',
  kernel: uniformKernel,
  grid: 2,
  block: threads / 2,
  input: { type: 'u32', values: [4] },
  expected: () => each((i) => (i < 32 ? 13 : 21)),
});

const ternaryKernel = kernel(
  { name: 'ternaries', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32, i32 }, { input, out }) => {
    const i = threadIdx.x;
    const p = lsa.localPointer(input, u32, 0);
    const o = lsa.localPointer(out, u32, 0);
    const a = i % 2 === 0 ? i : 100 - i;
    // Only the selected side loads. The other would access memory outside the window.
    const b = i < 16 ? p.load(i) : i < 32 ? p.load(31 - i) : u32(5);
    const c = i > 3 ? (i > 30 ? 1 : 2) : 3;
    const d = i32(i) < 60 ? -1 : 1;
    o.store(i, a * 1000 + b * 10 + u32(c) + u32(d + 1));
  },
);

const loaded = count(16).map((i) => i * i);

export const ternary: Case<'language/ternary'> = computeCase({
  id: 'language/ternary',
  mirrors: 'a ? b : c, which evaluates one side',
  kernel: ternaryKernel,
  block: threads,
  input: { type: 'u32', values: loaded },
  expected: () =>
    each((i) => {
      const a = i % 2 === 0 ? i : (100 - i) >>> 0;
      const b = i < 16 ? at(loaded, i) : i < 32 ? at(loaded, 31 - i) : 5;
      return (a * 1000 + b * 10 + (i > 3 ? (i > 30 ? 1 : 2) : 3) + (i < 60 ? 0 : 2)) % 2 ** 32;
    }),
});

const shortCircuitKernel = kernel(
  { name: 'shortCircuit', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32 }, { input, out }) => {
    const i = threadIdx.x;
    const p = lsa.localPointer(input, u32, 0);
    const o = lsa.localPointer(out, u32, 0);
    let v = u32(0);
    // The right side of && and || has a load that would fault if it were executed.
    if (i < 16 && p.load(i) > 20) v += 1;
    if (i >= 16 || p.load(i) === 9) v += 2;
    if (!(i >= 16) && (p.load(i) < 5 || p.load(15 - i) < 5)) v += 4;
    const known = i < 16 && p.load(i) % 2 === 1;
    if (known) v += 8;
    // The divisor is tested first.
    if (i % 4 !== 0 && 12 / (i % 4) === 4) v += 16;
    while (v < 32 && (i >= 16 || p.load(i) !== 0)) v += 32;
    o.store(i, v);
  },
);

export const shortCircuit: Case<'language/short-circuit'> = computeCase({
  id: 'language/short-circuit',
  mirrors: '&& and || with loads',
  kernel: shortCircuitKernel,
  block: threads,
  input: { type: 'u32', values: loaded },
  expected: () =>
    each((i) => {
      const p = (k: number): number => loaded[k] ?? NaN;
      const inside = i < 16;
      let v = 0;
      if (inside && p(i) > 20) v += 1;
      if (!inside || p(i) === 9) v += 2;
      if (inside && (p(i) < 5 || p(15 - i) < 5)) v += 4;
      if (inside && p(i) % 2 === 1) v += 8;
      if (i % 4 === 3) v += 16;
      if (!inside || p(i) !== 0) v += 32;
      return v;
    }),
});

const statementFormsKernel = kernel(
  { name: 'statementForms', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0);
    let v = u32(0),
      w = u32(1);
    // Statements in the form that minifiers write.
    i > 5 && (v = 1);
    i > 7 || ((v += 2), (w = 3));
    i % 2 ? (v += 4) : (w += 8);
    ((v += 16), (w *= 2));
    for (; !(v > 40);) ((v += 10), w++);
    o.store(i, v * 100 + w);
  },
);

export const statementForms: Case<'language/statement-forms'> = computeCase({
  id: 'language/statement-forms',
  mirrors: 'expressions as statements: &&, ||, ?:, and sequences',
  kernel: statementFormsKernel,
  block: threads,
  expected: () =>
    each((i) => {
      let [v, w] = [0, 1];
      if (i > 5) v = 1;
      if (i <= 7) [v, w] = [v + 2, 3];
      if (i % 2 === 1) v += 4;
      else w += 8;
      v += 16;
      w *= 2;
      while (v <= 40) [v, w] = [v + 10, w + 1];
      return v * 100 + w;
    }),
});

const earlyReturnKernel = kernel(
  { name: 'earlyReturn', use: { lsa }, params: slots },
  ({ lsa, threadIdx, u32 }, { out }) => {
    const i = threadIdx.x;
    const o = lsa.localPointer(out, u32, 0);
    o.store(i, 1);
    if (i < 8) return;
    o.store(i, 2);
    for (let k = u32(0); k < 4; k++) {
      if (i + k > 64) return;
      o.store(i, 10 + k);
    }
    if (i > 32) {
      o.store(i, 3);
      return;
    }
    o.store(i, 4);
  },
);

export const earlyReturn: Case<'language/early-return'> = computeCase({
  id: 'language/early-return',
  mirrors: 'return',
  kernel: earlyReturnKernel,
  block: threads,
  expected: () =>
    each((i) => {
      if (i < 8) return 1;
      if (i + 3 > 64) return 10 + (64 - i);
      return i > 32 ? 3 : 4;
    }),
});
