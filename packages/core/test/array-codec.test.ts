import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeArray, encodeArray, NcclError, scalarInfo, scalarKinds, storageArrays } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';

describe('encodeArray', () => {
  it.each(scalarKinds)("returns %s elements of the scalar's size", (kind) => {
    const encoded = encodeArray(kind, [0, 1, 1]);
    expect(encoded).toBeInstanceOf(storageArrays[kind]);
    expect(encoded.byteLength).toBe(3 * scalarInfo[kind].bytes);
  });

  it('stores the bits of narrow floats', () => {
    expect([...encodeArray('f16', [1, -2])]).toEqual([0x3c00, 0xc000]);
    expect([...encodeArray('bf16', [1, -2])]).toEqual([0x3f80, 0xc000]);
    expect([...encodeArray('e4m3', [1, 1e9])]).toEqual([0x38, 0x7e]);
    expect([...encodeArray('e5m2', [1, NaN])]).toEqual([0x3c, 0x7f]);
  });

  it('accepts true, false, 0 and 1 for booleans', () => {
    expect([...encodeArray('bool', [true, 0, 1, false])]).toEqual([1, 0, 1, 0]);
  });

  it('accepts numbers or bigints for integers', () => {
    expect([...encodeArray('u64', [1, 2n ** 64n - 1n])]).toEqual([1n, 2n ** 64n - 1n]);
    expect([...encodeArray('i8', [-128n, 127])]).toEqual([-128, 127]);
  });

  it.each<readonly [ScalarKind, number | bigint | boolean]>([
    ['i8', 128],
    ['u8', -1],
    ['u32', 2 ** 32],
    ['i64', 2n ** 63n],
    ['u64', -1n],
    ['addr', 2n ** 53n],
    ['addr', -1],
    ['i32', 1.5],
    ['i32', NaN],
    ['i32', true],
    ['f32', 1n],
    ['f16', true],
    ['bool', 2],
  ])('refuses for %s the value %s, and names its index', (kind, value) => {
    expect(() => encodeArray(kind, [0, value])).toThrow(NcclError);
    expect(() => encodeArray(kind, [0, value])).toThrow(/^Element 1 of an array of \w+ must be .*; given /);
  });
});

describe('decodeArray', () => {
  it('reverses encodeArray', () => {
    for (const kind of scalarKinds) {
      const info = scalarInfo[kind];
      const values: readonly (number | bigint)[] =
        info.min === undefined
          ? [0, 1]
          : kind === 'i64' || kind === 'u64'
            ? [info.min, info.max]
            : [Number(info.min), Number(info.max)];
      expect([kind, ...decodeArray(kind, encodeArray(kind, values))]).toEqual([kind, ...values]);
    }
  });

  it('accepts bytes at any offset and copies them', () => {
    const bytes = new Uint8Array(9);
    bytes.set(new Uint8Array(new Float32Array([1.5, -2]).buffer), 1);
    const decoded = decodeArray('f32', bytes.subarray(1));
    bytes.fill(0);
    expect([...decoded]).toEqual([1.5, -2]);
  });

  it('accepts a whole buffer', () => {
    expect([...decodeArray('i16', new Int16Array([-1, 7]).buffer)]).toEqual([-1, 7]);
    expect([...decodeArray('u8', new SharedArrayBuffer(2))]).toEqual([0, 0]);
  });

  it('refuses bytes that end within an element', () => {
    expect(() => decodeArray('f32', new Uint8Array(6))).toThrow('Decoding f32 takes a multiple of 4 bytes; given 6.');
  });

  it('returns exact f32 values', () => {
    fc.assert(
      fc.property(fc.float32Array(), (values) => {
        expect(decodeArray('f32', encodeArray('f32', values))).toEqual(values);
      }),
      { seed: 3 },
    );
  });
});
