import { i16, i32, i64, i8, kernel, u16, u32, u64, u8, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { bitsOf, leastOf, promotedKind, samplesOf, wrapTo, type IntegerKind } from '../fixture/integers.ts';

type IntegerParam = ScalarParam<IntegerKind, unknown>;

const results = 24;

function arithmeticKernel(T: IntegerParam): SlotKernel {
  return kernel(
    { name: `arithmetic_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, min, max, abs, popcount, clz, ctz, u32 }, { input, out }) => {
      const i = threadIdx.x;
      const given = lsa.localPointer(input, T, 0);
      const a = given.load(2 * i);
      const b = given.load(2 * i + 1);
      const o = lsa.localPointer(out, T, 0).offset(24 * i);
      o.store(0, T(a + b));
      o.store(1, T(a - b));
      o.store(2, T(a * b));
      // A zero divisor is a fault.
      const d = b === 0 ? T(3) : b;
      o.store(3, T(a / d));
      o.store(4, T(a % d));
      o.store(5, T(a & b));
      o.store(6, T(a | b));
      o.store(7, T(a ^ b));
      o.store(8, T(~a));
      o.store(9, T(-a));
      // oxlint-disable-next-line no-unnecessary-type-conversion -- unary plus promotes
      o.store(10, T(+a));
      // Counts past the width are masked.
      o.store(11, T(a << (5 * i)));
      o.store(12, T(a >> (5 * i)));
      o.store(13, T(min(a, b)));
      o.store(14, T(max(a, b)));
      o.store(15, T(abs(a)));
      o.store(16, T(popcount(a)));
      o.store(17, T(clz(a)));
      o.store(18, T(ctz(a)));
      let flags = u32(0);
      if (a < b) flags |= 1;
      if (a <= b) flags |= 2;
      if (a > b) flags |= 4;
      if (a >= b) flags |= 8;
      if (a === b) flags |= 16;
      if (a !== b) flags |= 32;
      o.store(19, T(flags));
      o.store(20, T(a * 3 + 1));
      let c = a;
      c += b;
      c *= 3;
      c -= 2;
      c ^= b;
      c <<= 1;
      c |= 1;
      c >>= 2;
      c &= 61;
      c %= 17;
      o.store(21, c);
      let e = b;
      e++;
      ++e;
      const before = e--;
      o.store(22, T(before * 2));
      o.store(23, e);
    },
  );
}

function expectedOf(kind: IntegerKind, i: number, a: bigint, b: bigint): readonly bigint[] {
  const wide = promotedKind(kind);
  const bits = bitsOf(wide);
  const count = BigInt((5 * i) % bits);
  const back = (value: bigint): bigint => wrapTo(kind, wrapTo(wide, value));
  const d = b === 0n ? 3n : b;
  const binary = BigInt.asUintN(bits, a).toString(2).padStart(bits, '0');
  const flags = [a < b, a <= b, a > b, a >= b, a === b, a !== b];
  const truncated = BigInt.asIntN(bits + 1, a);
  let c = back(a + b);
  c = back(c * 3n);
  c = back(c - 2n);
  c = back(c ^ b);
  c = back(c << 1n);
  c = back(c | 1n);
  c = back(c >> 2n);
  c = back(c & 61n);
  c = back(c % 17n);
  return [
    a + b,
    a - b,
    a * b,
    a / d,
    a % d,
    a & b,
    a | b,
    a ^ b,
    ~a,
    -a,
    a,
    a << count,
    truncated >> count,
    a < b ? a : b,
    a > b ? a : b,
    a < 0n ? -a : a,
    BigInt(binary.replaceAll('0', '').length),
    BigInt(binary.includes('1') ? binary.indexOf('1') : bits),
    BigInt(binary.includes('1') ? bits - 1 - binary.lastIndexOf('1') : bits),
    flags.reduce((sum, flag, bit) => sum + (flag ? 1n << BigInt(bit) : 0n), 0n),
    a * 3n + 1n,
    c,
    2n * back(back(b + 1n) + 1n),
    back(b + 1n),
  ].map(back);
}

/** IEEE 754 arithmetic, rounded to the type after every operation */
function pairsOf(kind: IntegerKind): readonly (readonly [bigint, bigint])[] {
  const samples = samplesOf(kind);
  const wide = promotedKind(kind);
  return samples.flatMap((a) => samples.filter((b) => !(a === leastOf(wide) && b === -1n)).map((b) => [a, b] as const));
}

function arithmetic<const Id extends string>(id: Id, T: IntegerParam): Case<Id> {
  const kind = T.scalar;
  const pairs = pairsOf(kind);
  return computeCase({
    id,
    mirrors: 'C++ integer arithmetic: promotions, wrap-around, truncating division, masked shifts',
    requires: { scalars: kind === 'i32' || kind === 'u32' ? [] : [kind] },
    kernel: arithmeticKernel(T),
    block: pairs.length,
    input: { type: kind, values: pairs.flat() },
    expected: () => {
      const values = pairs.flatMap(([a, b], i) => expectedOf(kind, i, a, b));
      if (values.length !== results * pairs.length)
        throw new RangeError('The kernel has a different number of results.');
      return { type: kind, values };
    },
  });
}

export const i8Arithmetic: Case<'scalars/i8/arithmetic'> = arithmetic('scalars/i8/arithmetic', i8);
export const u8Arithmetic: Case<'scalars/u8/arithmetic'> = arithmetic('scalars/u8/arithmetic', u8);
export const i16Arithmetic: Case<'scalars/i16/arithmetic'> = arithmetic('scalars/i16/arithmetic', i16);
export const u16Arithmetic: Case<'scalars/u16/arithmetic'> = arithmetic('scalars/u16/arithmetic', u16);
export const i32Arithmetic: Case<'scalars/i32/arithmetic'> = arithmetic('scalars/i32/arithmetic', i32);
export const u32Arithmetic: Case<'scalars/u32/arithmetic'> = arithmetic('scalars/u32/arithmetic', u32);
export const i64Arithmetic: Case<'scalars/i64/arithmetic'> = arithmetic('scalars/i64/arithmetic', i64);
export const u64Arithmetic: Case<'scalars/u64/arithmetic'> = arithmetic('scalars/u64/arithmetic', u64);

const mixedKernel: SlotKernel = kernel(
  { name: 'mixedIntegers', use: { lsa }, params: slots },
  ({ lsa, i8, u8, i16, u16, i32, u32, i64, u64 }, { input, out }) => {
    const word = lsa.localPointer(input, i64, 0).load(0);
    const o = lsa.localPointer(out, i64, 0);
    // The usual arithmetic conversions: what meets, and what the result is.
    o.store(0, i64(u32(word) + i32(-1)));
    o.store(1, i64(i8(word) * u8(200)));
    o.store(2, i64(u16(65535)) * i64(u16(word)));
    o.store(3, i64(u16(65535) * u16(65535)));
    o.store(4, i64(u32(word) < i32(-1) ? 1 : 0));
    o.store(5, i64(i16(word) < u16(40000) ? 1 : 0));
    o.store(6, i64(u32(word)) - i64(i32(word)));
    o.store(7, i64(u64(word) / 3));
    o.store(8, word >> i8(3));
    o.store(9, i64(u8(word) << 24));
    o.store(10, i64(i32(word) >> 4));
    o.store(11, i64(u32(word) >> 4));
    o.store(12, i64(i64(i32(word)) + u32(7)));
    o.store(13, i64(u64(i32(word)) > u64(word) ? 1 : 0));
  },
);

const word = -123456789012345n;

export const mixedIntegers: Case<'scalars/mixed-integers'> = computeCase({
  id: 'scalars/mixed-integers',
  mirrors: 'the usual arithmetic conversions of C++',
  requires: { scalars: ['i8', 'u8', 'i16', 'u16', 'i64', 'u64'] },
  kernel: mixedKernel,
  input: { type: 'i64', values: [word] },
  expected: () => {
    const as = (kind: IntegerKind): bigint => wrapTo(kind, word);
    return {
      type: 'i64',
      values: [
        wrapTo('u32', as('u32') - 1n),
        as('i8') * 200n,
        65535n * as('u16'),
        // Two u16 meet as i32, which wraps.
        wrapTo('i32', 65535n * 65535n),
        as('u32') < 4294967295n ? 1n : 0n,
        as('i16') < 40000n ? 1n : 0n,
        as('u32') - as('i32'),
        wrapTo('i64', as('u64') / 3n),
        word >> 3n,
        wrapTo('i32', as('u8') << 24n),
        as('i32') >> 4n,
        as('u32') >> 4n,
        as('i32') + 7n,
        wrapTo('u64', as('i32')) > as('u64') ? 1n : 0n,
      ],
    };
  },
});
