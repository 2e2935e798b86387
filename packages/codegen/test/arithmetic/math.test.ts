import { ptr, type ParamType } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';

import { expressionsPerType, timeLimit } from './campaign.ts';
import { sampleValues } from './generate/values.ts';
import { constantText, valueText } from './language/render.ts';
import { typeOf } from './language/type.ts';
import { builtinNames, compileText, Memory, paramType } from './machine.ts';
import { elementary, ulpError, type Elementary } from './reference/elementary.ts';
import { decode } from './reference/float.ts';
import { formatOf, isNaNValue, kinds, unary, type Kind, type UnaryName } from './reference/scalar.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const functions: readonly Elementary[] = ['rsqrt', 'exp', 'exp2', 'log', 'log2', 'sin', 'cos', 'tanh', 'pow'];
const exactFunctions: readonly UnaryName[] = ['sqrt', 'floor', 'ceil', 'trunc', 'round'];
const floats = ['f16', 'bf16', 'f32', 'f64'] as const;

/**
 * The bounds that `MathBuiltins` guarantees. For f64 the JavaScript engine determines the error.
 */
function documentedBound(name: Elementary, kind: Kind): number {
  if (kind !== 'f64') return 1;
  return name === 'tanh' ? 3 : name === 'rsqrt' ? 2 : 1;
}

/** Computes `math.name` of each value in a kernel. */
function computed(name: string, kind: Kind, xs: readonly bigint[], ys: readonly bigint[] = xs): readonly bigint[] {
  const type = typeOf(kind);
  const bytes = kinds[kind].bits / 8;
  const params: Record<string, ParamType> = {
    x: ptr(paramType(type)),
    y: ptr(paramType(type)),
    to: ptr(paramType(type)),
  };
  const args = name === 'pow' ? 'x[i], y[i]' : 'x[i]';
  const text = `({ ${builtinNames} }, { x, y, to }) => {
    for (let i = threadIdx.x; i < ${xs.length}; i += blockDim.x) to[i] = math.${name}(${args});
  }`;
  const memory = new Memory([xs.length * bytes, xs.length * bytes, xs.length * bytes]);
  memory.write(0, 0, type, xs);
  memory.write(1, 0, type, ys);
  memory.run(compileText(text, params), 32);
  return xs.map((_, i) => memory.read(2, i * bytes, type)[0] ?? 0n);
}

function sameValue(kind: Kind, a: bigint, b: bigint): boolean {
  return a === b || (isNaNValue(kind, a) && isNaNValue(kind, b));
}

/**
 * Returns every value of a 16-bit float type, or a regular sample of them, and random values of
 * other types.
 */
function inputs(kind: Kind, count: number, salt: number): readonly bigint[] {
  if (kinds[kind].bits === 16 && count >= 2 ** 16) return Array.from({ length: 2 ** 16 }, (_, bits) => BigInt(bits));
  const values = sampleValues(kind, count, salt);
  const type =
    kinds[kind].bits === 16
      ? Array.from({ length: count }, (_, i) => BigInt(Math.floor(((i + 0.5) * 2 ** 16) / count)))
      : [];
  return [...type, ...values];
}

const samples = Math.max(400, expressionsPerType);

describe.each(floats)('math of %s', (kind) => {
  const type = typeOf(kind);
  const format = formatOf(kind);

  it.each(functions.filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    '%s is within its documented bound',
    { timeout: timeLimit },
    (name) => {
      const xs = inputs(kind, samples, 1);
      const ys = inputs(kind, xs.length, 2).slice(0, xs.length);
      const bound = documentedBound(name, kind);
      const results = computed(name, kind, xs, ys);
      let worst = 0;
      results.forEach((result, i) => {
        const [x = 0n, y = 0n] = [xs[i], ys[i]];
        const wanted = elementary(name, decode(format, x), decode(format, y));
        const error = ulpError(format, result, wanted);
        worst = Math.max(worst, error);
        if (error <= bound) return;
        const args = name === 'pow' ? `${valueText(type, [x])}, ${valueText(type, [y])}` : valueText(type, [x]);
        throw new Error(`math.${name}(${args}) is ${valueText(type, [result])}, wrong by ${error} ULP`);
      });
      // A test that compares nothing, or a function other than the exact value rounded, would not
      // pass this.
      expect(worst).toBeGreaterThan(0.25);
    },
  );

  it.each(exactFunctions.filter(() => !inject('slow')))('%s is exact', { timeout: timeLimit }, (name) => {
    const xs = inputs(kind, samples, 3);
    const results = computed(name, kind, xs);
    const wrong = xs.findIndex((x, i) => {
      return !sameValue(kind, results[i] ?? 0n, unary(name, kind, x));
    });
    expect(wrong === -1 ? 'all exact' : `math.${name}(${valueText(type, [xs[wrong] ?? 0n])})`).toBe('all exact');
  });

  it.for(slow)('of constants equals math of operands', { timeout: timeLimit }, () => {
    const xs = inputs(kind, 24, 4).slice(0, 48);
    const ys = inputs(kind, 24, 5).slice(0, 48);
    const bytes = kinds[kind].bits / 8;
    for (const name of [...functions, ...exactFunctions]) {
      const lines = xs.map((x, i) => {
        const args = [x, ...(name === 'pow' ? [ys[i] ?? 0n] : [])]
          .map((value) => constantText(type, [value]))
          .join(', ');
        return `to[${i}] = math.${name}(${args});`;
      });
      const memory = new Memory([xs.length * bytes]);
      memory.run(
        compileText(`({ ${builtinNames} }, { to }) => { ${lines.join(' ')} }`, { to: ptr(paramType(type)) }),
        1,
      );
      const folded = xs.map((_, i) => memory.read(0, i * bytes, type)[0] ?? 0n);
      const atRunTime = computed(name, kind, xs, ys);
      const wrong = folded.findIndex((value, i) => !sameValue(kind, value, atRunTime[i] ?? 0n));
      const args = [xs[wrong] ?? 0n, ys[wrong] ?? 0n].map((value) => constantText(type, [value])).join(', ');
      expect(wrong === -1 ? 'equal' : `math.${name}(${args})`).toBe('equal');
    }
  });
});

describe.for(quick)('math has C’s special cases', () => {
  const [nan, infinity, zero, one, two, three] = [0x7fc00000n, 0x7f800000n, 0n, 0x3f800000n, 0x40000000n, 0x40400000n];
  const negative = (bits: bigint): bigint => bits | 0x80000000n;
  it.each<readonly [name: string, x: bigint, y: bigint, result: bigint]>([
    ['pow', one, nan, one],
    ['pow', one, infinity, one],
    ['pow', nan, zero, one],
    ['pow', nan, negative(zero), one],
    ['pow', negative(one), infinity, one],
    ['pow', negative(one), negative(infinity), one],
    ['pow', negative(two), three, 0xc1000000n],
    ['pow', negative(zero), three, negative(zero)],
    ['pow', negative(zero), negative(three), negative(infinity)],
    ['pow', negative(infinity), three, negative(infinity)],
    ['pow', zero, negative(two), infinity],
    ['exp', negative(infinity), zero, zero],
    ['log', zero, zero, negative(infinity)],
    ['log', negative(zero), zero, negative(infinity)],
    ['rsqrt', zero, zero, infinity],
    ['rsqrt', negative(zero), zero, negative(infinity)],
    ['sin', negative(zero), zero, negative(zero)],
    ['tanh', negative(infinity), zero, negative(one)],
    ['round', 0x3f000000n, zero, zero],
    ['round', 0xbf000000n, zero, negative(zero)],
    ['round', 0x40200000n, zero, two],
  ])('%s of %i, %i gives %i', (name, x, y, result) => {
    expect(computed(name, 'f32', [x], [y])).toEqual([result]);
  });
});
