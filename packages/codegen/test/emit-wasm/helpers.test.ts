import {
  e4m3DecodeTable,
  e5m2DecodeTable,
  f16DecodeTable,
  numberToE4m3,
  numberToE5m2,
  numberToF16,
  roundToBf16,
  roundToE4m3,
  roundToE5m2,
  roundToF16,
} from '@nccl-ts/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bf16Bits } from '../../src/emit-shared/support-arithmetic.ts';
import { encodeModule } from '../../src/emit-wasm/encode-module.ts';
import { HelperSet, type HelperName } from '../../src/emit-wasm/helpers.ts';
import { compileModule, createMemory, instantiate } from '../../src/program/web-assembly.ts';

/** Returns a helper as a JavaScript function. */
function helper(name: HelperName): (x: number) => number {
  const helpers = new HelperSet();
  helpers.call(name);
  const functions = helpers.functions.map((f) => ({ ...f, exported: true }));
  const exports = instantiate(compileModule(encodeModule({ imports: [], functions })), { memory: createMemory(1, 1) });
  const exported = exports[name];
  if (typeof exported !== 'function') throw new Error(`no function ${name}`);
  return (x) => Number(Reflect.apply(exported, undefined, [x]));
}

const differing = (count: number, of: (bits: number) => number, wanted: (bits: number) => number): readonly number[] =>
  Array.from({ length: count }, (_, bits) => bits).filter((bits) => !Object.is(of(bits), wanted(bits)));

describe('narrow floats', () => {
  it('decode to exact values, for all patterns', () => {
    expect(differing(65536, helper('f16ToF32'), (bits) => f16DecodeTable()[bits] ?? 0)).toEqual([]);
    expect(differing(256, helper('e4m3ToF32'), (bits) => e4m3DecodeTable()[bits] ?? 0)).toEqual([]);
    const words = new Float32Array(1);
    const upperHalf = new Uint32Array(words.buffer);
    const bf16 = (bits: number): number => {
      upperHalf[0] = bits << 16;
      return words[0] ?? 0;
    };
    expect(differing(65536, helper('bf16ToF32'), bf16)).toEqual([]);
    const f16 = helper('f16ToF32');
    expect(
      differing(
        256,
        (bits) => f16(bits << 8),
        (bits) => e5m2DecodeTable()[bits] ?? 0,
      ),
    ).toEqual([]);
  });

  it('encode to exact bits, for all patterns', () => {
    const f16 = (bits: number): number => f16DecodeTable()[bits] ?? 0;
    const e4m3 = (bits: number): number => e4m3DecodeTable()[bits] ?? 0;
    const e5m2 = (bits: number): number => e5m2DecodeTable()[bits] ?? 0;
    const [f16Bits, e4m3Bits, e5m2Bits] = [helper('f16Bits'), helper('e4m3Bits'), helper('e5m2Bits')];
    expect(
      differing(
        65536,
        (bits) => f16Bits(f16(bits)),
        (bits) => numberToF16(f16(bits)),
      ),
    ).toEqual([]);
    expect(
      differing(
        256,
        (bits) => e4m3Bits(e4m3(bits)),
        (bits) => numberToE4m3(e4m3(bits)),
      ),
    ).toEqual([]);
    const infinite = (bits: number): number => ((bits & 0x7f) === 0x7c ? bits : numberToE5m2(e5m2(bits)));
    expect(differing(256, (bits) => e5m2Bits(e5m2(bits)), infinite)).toEqual([]);
    const single = new Float32Array(1);
    const words = new Uint32Array(single.buffer);
    const value = (bits: number): number => {
      words[0] = bits << 16;
      return single[0] ?? 0;
    };
    const own = helper('bf16Bits');
    expect(
      differing(
        65536,
        (bits) => own(value(bits)),
        (bits) => bf16Bits(value(bits)),
      ),
    ).toEqual([]);
  });
});

describe('doubles are rounded like in JavaScript', () => {
  const wide = fc.oneof(
    fc.double(),
    // Around the ranges of narrow floats, and at ties.
    fc
      .tuple(fc.integer({ min: -140, max: 130 }), fc.nat(4096), fc.boolean())
      .map(([exponent, significand, negative]) => {
        const magnitude = (1 + significand / 4096) * 2 ** exponent;
        return negative ? -magnitude : magnitude;
      }),
    fc.constantFrom(
      0,
      -0,
      Number.NaN,
      Infinity,
      -Infinity,
      65519.99,
      65520,
      448,
      464,
      480,
      57344,
      61440,
      3.5e38,
      2 ** -150,
    ),
  );
  it.each([
    ['singleToF16', roundToF16],
    ['singleToBf16', roundToBf16],
    ['singleToE4m3', roundToE4m3],
    ['singleToE5m2', roundToE5m2],
  ] as const)('doubles are rounded to f32, %s', (name, wanted) => {
    const own = helper(name);
    fc.assert(
      fc.property(fc.oneof(wide, fc.float()), (x) => Object.is(own(x), wanted(Math.fround(x)))),
      { seed: 8, numRuns: 20_000 },
    );
  });

  it.each([
    ['roundToF16', roundToF16],
    ['roundToBf16', roundToBf16],
    ['roundToE4m3', roundToE4m3],
    ['roundToE5m2', roundToE5m2],
  ] as const)('%s rounds doubles like JavaScript', (name, wanted) => {
    const own = helper(name);
    fc.assert(
      fc.property(wide, (x) => Object.is(own(x), wanted(x))),
      { seed: 7, numRuns: 20_000 },
    );
  });
});
