/* oxlint-disable no-unused-expressions, no-constant-condition, no-constant-binary-expression, no-unmodified-loop-condition,
   misrefactored-assign-op, no-var -- what looks odd in these kernels is what they are about */
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';

const integerLiterals = kernel(
  { name: 'integerLiterals', use: { lsa, big: 2n ** 60n + 1n }, params: slots },
  ({ lsa, big, i8, u8, u32, i32, i64, u64 }, { out }) => {
    const o = lsa.localPointer(out, i64, 0);
    o.store(0, 0);
    o.store(1, -1);
    o.store(2, 0x7fffffff);
    o.store(3, 1e3);
    o.store(4, 4294967295);
    o.store(5, 9007199254740991);
    // A negative literal wraps around in an unsigned type.
    o.store(6, u32(-1));
    o.store(7, i64(u64(-1) >> 1));
    o.store(8, u8(-2));
    o.store(9, i8(-128));
    // An expression of literals has JavaScript's value, even if a minifier wrote it.
    o.store(10, (7 / 2) * 2);
    o.store(11, (1 << 31) + 0);
    o.store(12, (1 << 4) | 3);
    o.store(13, 2 + 3 * 4 - 1);
    o.store(14, -7 % 4);
    o.store(15, ~5);
    o.store(16, i64(big));
    o.store(17, i32(true) + i32(!0) * 2 + i32(!1) * 4);
    const unsigned = u32(5);
    o.store(18, unsigned - 6);
    o.store(19, 0b1010 + 0o17);
    o.store(20, 1_000_000);
    o.store(21, 3 > 2 ? 10 : 20);
    const three = 3;
    o.store(22, unsigned * three);
  },
);

export const integerLiteralForms: Case<'conversions/integer-literals'> = computeCase({
  id: 'conversions/integer-literals',
  mirrors: 'integer literals take their type from their context',
  requires: { scalars: ['i8', 'u8', 'i64', 'u64'] },
  kernel: integerLiterals,
  expected: () => ({
    type: 'i64',
    values: [
      0n,
      -1n,
      2147483647n,
      1000n,
      4294967295n,
      9007199254740991n,
      4294967295n,
      2n ** 63n - 1n,
      254n,
      -128n,
      7n,
      -2147483648n,
      19n,
      13n,
      -3n,
      -6n,
      2n ** 60n + 1n,
      3n,
      4294967295n,
      25n,
      1000000n,
      10n,
      15n,
    ],
  }),
});

const floatLiterals = kernel(
  { name: 'floatLiterals', use: { lsa, third: 1 / 3 }, params: slots },
  ({ lsa, third, f16, f32, f64, u32 }, { out }) => {
    const o = lsa.localPointer(out, f32, 0);
    o.store(0, 1);
    o.store(1, 1.5);
    o.store(2, -0.1);
    o.store(3, 1e-3);
    o.store(4, 1 / 0);
    o.store(5, -1 / 0);
    o.store(6, 0 / 0);
    o.store(7, -0);
    o.store(8, 7 / 2);
    o.store(9, third);
    const x = f32(2);
    o.store(10, x * 0.1);
    o.store(11, 1 - x);
    o.store(12, f16(0.1));
    o.store(13, f32(f64(0.1) * 3));
    o.store(14, f32(u32(3)) / 2);
    o.store(15, 16777217);
    o.store(16, x > 1 ? 0.25 : 4);
    o.store(17, 0.5);
    o.store(18, 5e-324);
  },
);

export const floatLiteralForms: Case<'conversions/float-literals'> = computeCase({
  id: 'conversions/float-literals',
  mirrors: 'literals in float context',
  requires: { scalars: ['f16', 'f64'] },
  kernel: floatLiterals,
  expected: () => ({
    type: 'f32',
    values: [
      1,
      1.5,
      Math.fround(-0.1),
      Math.fround(1e-3),
      Infinity,
      -Infinity,
      NaN,
      -0,
      3.5,
      Math.fround(1 / 3),
      Math.fround(2 * Math.fround(0.1)),
      -1,
      0.0999755859375,
      Math.fround(0.1 * 3),
      1.5,
      16777216,
      0.25,
      0.5,
      0,
    ],
  }),
});
