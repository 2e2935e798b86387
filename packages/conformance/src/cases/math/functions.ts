import { f32, f64, kernel, vec, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat } from '../../mismatch.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';
import { roundTo, ulpOf } from '../fixture/round-float.ts';

type Wide = ScalarParam<'f32' | 'f64', unknown>;

const functions = 9;

function functionsKernel(T: Wide): SlotKernel {
  return kernel(
    { name: `math_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, math, abs }, { input, out }) => {
      const i = threadIdx.x;
      const x = lsa.localPointer(input, T, 0).load(i);
      const positive = abs(x) + 0.03125;
      const o = lsa.localPointer(out, T, 0).offset(9 * i);
      o.store(0, math.rsqrt(positive));
      o.store(1, math.exp(x));
      o.store(2, math.exp2(x));
      o.store(3, math.log(positive));
      o.store(4, math.log2(positive));
      o.store(5, math.sin(x));
      o.store(6, math.cos(x));
      o.store(7, math.tanh(x));
      o.store(8, math.pow(positive, x / 4));
    },
  );
}

/** Computed in doubles, from the kernel's own argument. */
function exact(x: number, positive: number, quarter: number): readonly number[] {
  return [
    1 / Math.sqrt(positive),
    Math.exp(x),
    2 ** x,
    Math.log(positive),
    Math.log2(positive),
    Math.sin(x),
    Math.cos(x),
    Math.tanh(x),
    positive ** quarter,
  ];
}

const names = ['rsqrt', 'exp', 'exp2', 'log', 'log2', 'sin', 'cos', 'tanh', 'pow'];

function within<const Id extends string>(id: Id, T: Wide): Case<Id> {
  const kind = T.scalar;
  const one = functionsKernel(T);
  const samples = [...count(61).map((i) => (i - 30) * 0.37), 0, -0, 1, 8, -8, 0.5, 1e-5, 15.9].map((x) =>
    roundTo(kind, x),
  );
  return defineCase({
    results: 'bounded',
    id,
    mirrors: 'rsqrtf, expf, exp2f, logf, log2f, sinf, cosf, tanhf, powf: within 1 ULP',
    requires: { scalars: kind === 'f32' ? [] : [kind] },
    ranks: [1],
    kernels: [one],
    run: async ({ run }) => {
      await run(async (comm) => {
        const input = await comm.allocWindow(kind, samples.length);
        await input.write(samples);
        const out = await comm.allocWindow(kind, functions * samples.length);
        await comm.launch(one, { grid: 1, block: samples.length }, { input, out });
        const actual = await out.read();
        for (const [i, x] of samples.entries()) {
          const positive = roundTo(kind, Math.abs(x) + 0.03125);
          const wanted = exact(x, positive, roundTo(kind, x / 4));
          for (const [k, value] of wanted.entries()) {
            const got = actual[i * functions + k] ?? NaN;
            // Half an ULP more for the rounding of the doubles themselves.
            const bound = (kind === 'f32' ? 1 : 1.5) * ulpOf(kind, value);
            expectThat(
              Math.abs(got - value) <= bound,
              `math.${names[k]} of ${x} is ${got}, more than 1 ULP from ${value}.`,
            );
          }
        }
      });
    },
  });
}

export const f32Functions: Case<'math/f32'> = within('math/f32', f32);
export const f64Functions: Case<'math/f64'> = within('math/f64', f64);

const special = kernel(
  { name: 'mathSpecialValues', use: { lsa }, params: slots },
  ({ lsa, math, abs, f32 }, { input, out }) => {
    const given = lsa.localPointer(input, f32, 0);
    const o = lsa.localPointer(out, f32, 0);
    const zero = given.load(0);
    const inf = given.load(1);
    const nan = given.load(2);
    const minus = given.load(3);
    o.store(0, math.exp(-inf));
    o.store(1, math.exp(inf));
    o.store(2, math.exp(zero));
    o.store(3, math.log(zero));
    o.store(4, math.log(minus));
    o.store(5, math.log(inf));
    o.store(6, math.sqrt(minus));
    o.store(7, math.sqrt(-zero));
    o.store(8, math.rsqrt(zero));
    o.store(9, math.rsqrt(inf));
    o.store(10, math.sin(inf));
    o.store(11, math.tanh(inf));
    o.store(12, math.tanh(-inf));
    o.store(13, math.pow(nan, zero));
    o.store(14, math.pow(minus, 3));
    o.store(15, math.pow(zero, -1));
    o.store(16, math.floor(nan));
    o.store(17, math.round(-zero));
    o.store(18, abs(nan));
    o.store(19, abs(-inf));
    o.store(20, math.exp2(minus * 100));
    o.store(21, math.log2(minus * -4));
  },
);

export const specialValues: Case<'math/special-values'> = computeCase({
  id: 'math/special-values',
  mirrors: 'zeros, infinities and NaN in functions',
  kernel: special,
  input: { type: 'f32', values: [0, Infinity, NaN, -2] },
  expected: () => ({
    type: 'f32',
    values: [
      0,
      Infinity,
      1,
      -Infinity,
      NaN,
      Infinity,
      NaN,
      -0,
      Infinity,
      0,
      NaN,
      1,
      -1,
      1,
      -8,
      Infinity,
      NaN,
      -0,
      NaN,
      Infinity,
      0,
      3,
    ],
  }),
});

const ofVectors = kernel(
  { name: 'mathOfVectors', use: { lsa, V: vec(f32, 4) }, params: slots },
  ({ lsa, V, math, fma, f32 }, { input, out }) => {
    const a = lsa.localPointer(input, V, 0).load(0);
    const o = lsa.localPointer(out, V, 0);
    o.store(0, math.sqrt(a));
    o.store(1, math.trunc(a));
    o.store(2, fma(a, 3, 0.5));
    o.store(3, math.round(a * f32(0.5)));
  },
);

const four = [1.5, 2.25, 81, 10.1].map(Math.fround);

export const vectorFunctions: Case<'math/vectors'> = computeCase({
  id: 'math/vectors',
  mirrors: 'functions element by element',
  kernel: ofVectors,
  input: { type: 'f32', values: four },
  expected: () => ({
    type: 'f32',
    values: [...four.map(Math.sqrt), ...four.map(Math.trunc), ...four.map((x) => x * 3 + 0.5), 1, 1, 40, 5].map(
      Math.fround,
    ),
  }),
});
