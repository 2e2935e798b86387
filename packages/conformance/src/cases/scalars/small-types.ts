import { at } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { addr, bool, e4m3, e5m2, i32, kernel, u64, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { computeCase, slots, type SlotKernel } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';
import { roundTo } from '../fixture/round-float.ts';

type Float8 = ScalarParam<'e4m3' | 'e5m2', unknown>;

function float8Kernel(T: Float8): SlotKernel {
  return kernel(
    { name: `compute_${T.scalar}`, use: { lsa, T }, params: slots },
    ({ lsa, T, threadIdx, f32, f16 }, { input, out }) => {
      const i = threadIdx.x;
      const given = lsa.localPointer(input, T, 0);
      const a = given.load(i);
      const b = given.load(255 - i);
      const o = lsa.localPointer(out, T, 0).offset(6 * i);
      o.store(0, a);
      o.store(1, T(a + b));
      o.store(2, T(a * b));
      o.store(3, T(f32(a) + f32(b)));
      o.store(4, T(f16(a) / 3));
      o.store(5, a < b ? a : b);
    },
  );
}

/** Every bit pattern, decoded by hand from the OCP specification. */
function valuesOf(kind: 'e4m3' | 'e5m2'): readonly number[] {
  const fractionBits = kind === 'e4m3' ? 3 : 2;
  const bias = kind === 'e4m3' ? 7 : 15;
  return count(256).map((code) => {
    const sign = code >= 128 ? -1 : 1;
    const exponent = (code % 128) >> fractionBits;
    const fraction = (code % 2 ** fractionBits) / 2 ** fractionBits;
    if (kind === 'e4m3' && code % 128 === 127) return NaN;
    if (kind === 'e5m2' && exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
    return sign * (exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias));
  });
}

function float8<const Id extends string>(id: Id, T: Float8): Case<Id> {
  const kind = T.scalar;
  const values = valuesOf(kind);
  const r = (x: number): number => roundTo(kind, x);
  const h = (x: number): number => roundTo('f16', x);
  return computeCase({
    id,
    mirrors: 'ncclFloat8e4m3, ncclFloat8e5m2: storage; arithmetic in f16, conversions to nearest even, saturating',
    requires: { scalars: [kind, 'f16'] },
    kernel: float8Kernel(T),
    block: 256,
    // As bits: writing values would saturate the infinities.
    input: { type: 'u8', values: count(256) },
    expected: () => ({
      type: kind,
      values: values.flatMap((a, i) => {
        const b = at(values, 255 - i);
        return [a, r(h(a + b)), r(h(a * b)), r(roundTo('f32', a + b)), r(h(a / 3)), a < b ? a : b];
      }),
    }),
  });
}

export const e4m3Values: Case<'scalars/e4m3/values'> = float8('scalars/e4m3/values', e4m3);
export const e5m2Values: Case<'scalars/e5m2/values'> = float8('scalars/e5m2/values', e5m2);

const truth = kernel(
  { name: 'truthValues', use: { lsa, always: true }, params: { out: window, yes: bool, n: i32 } },
  ({ lsa, always, bool, i32, u32, f32 }, { out, yes, n }) => {
    const o = lsa.localPointer(out, i32, 0);
    const no = !yes;
    let flag = n > 3;
    o.store(0, yes ? 1 : 0);
    o.store(1, i32(yes) + i32(no) * 10);
    o.store(2, i32(flag));
    o.store(3, i32(bool(flag) === yes));
    flag = !flag;
    o.store(4, i32(yes && n > 0));
    o.store(5, i32(no || n < 0));
    o.store(6, i32(bool(n)));
    o.store(7, i32(bool(f32(n) * 0)));
    o.store(8, i32(always));
    o.store(9, i32(yes !== bool(no)));
    o.store(10, yes ? n : -n);
    o.store(11, i32(u32(yes) + u32(yes)));
    o.store(12, !n ? 5 : 6);
    o.store(13, n ? 5 : 6);
  },
);

export const truthValues: Case<'scalars/bool'> = defineCase({
  id: 'scalars/bool',
  mirrors: 'bool',
  ranks: [1],
  kernels: [truth],
  run: async ({ run }) => {
    await run(async (comm) => {
      const out = await comm.allocWindow('i32', 14);
      for (const [yes, n] of [
        [true, 4],
        [false, 4],
        [true, 0],
        [false, -1],
      ] as const) {
        await comm.launch(truth, { grid: 1, block: 1 }, { out, yes, n });
        const flag = n > 3;
        const bit = (condition: boolean): number => (condition ? 1 : 0);
        const expected = [
          bit(yes),
          bit(yes) + 10 * bit(!yes),
          bit(flag),
          bit(flag === yes),
          bit(yes && n > 0),
          bit(!yes || n < 0),
        ];
        const more = [bit(n !== 0), 0, 1, 1, yes ? n : -n, 2 * bit(yes), n === 0 ? 5 : 6, n === 0 ? 6 : 5];
        expectValues(`with ${yes} and ${n}`, await out.read(), [...expected, ...more]);
      }
    });
  },
});

const addresses = kernel(
  { name: 'addressArithmetic', use: { lsa }, params: { out: window, a: addr, b: addr, n: u64 } },
  ({ lsa, addr, u32, u64 }, { out, a, b, n }) => {
    const o = lsa.localPointer(out, u64, 0);
    o.store(0, a);
    o.store(1, a + b);
    o.store(2, a - b);
    o.store(3, b * 4096);
    o.store(4, addr(n) + u32(4));
    o.store(5, u64(a) * n);
    o.store(6, a > b ? 1 : 0);
    let c = b;
    c += 16;
    c *= 2;
    o.store(7, c);
    o.store(8, u64(a) / u64(b));
  },
);

export const addressArithmetic: Case<'scalars/addr'> = defineCase({
  id: 'scalars/addr',
  mirrors: 'size_t offsets',
  requires: { scalars: ['u64'] },
  ranks: [1],
  kernels: [addresses],
  run: async ({ run }) => {
    await run(async (comm) => {
      const out = await comm.allocWindow('u64', 9);
      for (const [a, b, n] of [
        [2n ** 53n - 1n, 2n ** 33n + 5n, 2n ** 40n],
        [4096n, 128n, 3n],
      ] as const) {
        if (a + b >= 2n ** 53n) {
          // The sum would leave the range, which is a fault: shift the pair.
          await comm.launch(addresses, { grid: 1, block: 1 }, { out, a: a - b, b, n });
          expectValues('near the end', await out.read(), expectedAddresses(a - b, b, n));
        } else {
          await comm.launch(addresses, { grid: 1, block: 1 }, { out, a, b, n });
          expectValues('small ones', await out.read(), expectedAddresses(a, b, n));
        }
      }
    });
  },
});

function expectedAddresses(a: bigint, b: bigint, n: bigint): readonly bigint[] {
  const wide = (x: bigint): bigint => BigInt.asUintN(64, x);
  return [a, a + b, a - b, b * 4096n, n + 4n, wide(a * n), a > b ? 1n : 0n, (b + 16n) * 2n, a / b];
}
