import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignment, bytes, integer } from '../src/options.ts';
import { scalarArgument } from '../src/launch/scalar-argument.ts';
import { UsageError } from '../src/usage-error.ts';

test('options parse sizes', () => {
  expect(['4096', '64K', '64k', '64KiB', '1M', '2g'].map(bytes)).toEqual([4096, 65536, 65536, 65536, 2 ** 20, 2 ** 31]);
  for (const text of ['', '0', '-1', '1.5K', 'K', '1T', '1 K', '99999999999G'])
    expect(() => bytes(text)).toThrow(/size/);
});

test('options refuse integers out of bounds', () => {
  const parse = integer(2, 10);
  fc.assert(
    fc.property(fc.integer({ min: -20, max: 20 }), (value) => {
      if (value >= 2 && value <= 10) expect(parse(String(value))).toBe(value);
      else expect(() => parse(String(value))).toThrow(/from 2 to 10/);
    }),
    { seed: 1 },
  );
  for (const text of ['', ' 3', '3.0', '0x3', '1e1', 'three']) expect(() => parse(text)).toThrow(/from 2 to 10/);
});

test('options collect repeated assignments', () => {
  const both = assignment('b=x=y', assignment('a=', new Map()));
  expect([...both]).toEqual([
    ['a', ''],
    ['b', 'x=y'],
  ]);
  for (const text of ['', 'a', '=a', 'b=again']) expect(() => assignment(text, both)).toThrow(/It |already has/);
});

test('integer arguments are exact', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
      expect(scalarArgument('x', 'u64', String(value))).toBe(value);
      expect(scalarArgument('x', 'u64', `0x${value.toString(16)}`)).toBe(value);
    }),
    { seed: 2 },
  );
  expect(scalarArgument('x', 'i8', '-128')).toBe(-128);
  expect(scalarArgument('x', 'u32', '1e6')).toBe(1_000_000);
  for (const text of ['', '1.5', '128', '-129', '0x', 'one', 'Infinity', 'nan', '1n']) {
    expect(() => scalarArgument('x', 'i8', text)).toThrow(UsageError);
  }
});

test('float and boolean arguments are parsed', () => {
  expect(scalarArgument('x', 'f32', '-1.5e-3')).toBe(-0.0015);
  expect(scalarArgument('x', 'f16', '-Infinity')).toBe(-Infinity);
  expect(scalarArgument('x', 'bf16', 'NaN')).toBeNaN();
  for (const text of ['', ' ', 'one', '65536']) expect(() => scalarArgument('x', 'f16', text)).toThrow(UsageError);
  expect(() => scalarArgument('x', 'e4m3', 'Infinity')).toThrow(UsageError);
  expect(scalarArgument('x', 'bool', 'true')).toBe(true);
  expect(scalarArgument('x', 'bool', 'false')).toBe(false);
  for (const text of ['', '1', 'True']) expect(() => scalarArgument('x', 'bool', text)).toThrow(UsageError);
});
