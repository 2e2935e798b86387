import { at } from '@nccl-ts/core';
import { f16, f32, kernel, u16, u32, u8, vec } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { computeCase, slots } from '../fixture/compute-case.ts';
import { count } from '../fixture/numbers.ts';

const scalars = kernel(
  { name: 'bitcastScalars', use: { lsa }, params: slots },
  (
    { lsa, bitcast, threadIdx, i8, u8, i16, u16, f16, bf16, i32, u32, f32, i64, u64, f64, e4m3, e5m2 },
    { input, out },
  ) => {
    const i = threadIdx.x;
    const bits = lsa.localPointer(input, u64, 0).load(i);
    const o = lsa.localPointer(out, u64, 0).offset(9 * i);
    o.store(0, u64(bitcast(u32, bitcast(f32, u32(bits)))));
    o.store(1, bitcast(u64, bitcast(f64, bits)));
    o.store(2, u64(bitcast(u16, bitcast(f16, u16(bits)))));
    o.store(3, u64(bitcast(u16, bitcast(bf16, u16(bits)))));
    o.store(4, u64(bitcast(u8, bitcast(e4m3, u8(bits)))));
    o.store(5, u64(bitcast(u8, bitcast(e5m2, u8(bits)))));
    o.store(6, u64(bitcast(u32, bitcast(i32, u32(bits)))));
    o.store(7, u64(bitcast(u64, i64(bits)) + u64(bitcast(u8, i8(bits))) + u64(bitcast(u16, i16(bits)))));
    o.store(8, u64(bitcast(i32, f32(bits))));
  },
);

/** No narrow float is a NaN, because payloads may change. */
const patterns = [
  0x0n,
  0x3ff0000040490fdbn,
  0x400921fb3f9d70a4n,
  0x80000000bfc04248n,
  0x7fefffff00000001n,
  0x0000000080000001n,
  0xc05edd2f41424344n,
];

export const scalarBitcasts: Case<'vectors/bitcast-scalars'> = computeCase({
  id: 'vectors/bitcast-scalars',
  mirrors: '__float_as_uint and its kin',
  requires: { scalars: ['i8', 'u8', 'i16', 'u16', 'i64', 'u64', 'f16', 'bf16', 'f64', 'e4m3', 'e5m2'] },
  kernel: scalars,
  block: patterns.length,
  input: { type: 'u64', values: patterns },
  expected: () => ({
    type: 'u64',
    values: patterns.flatMap((bits) => {
      const low = (n: number): bigint => BigInt.asUintN(n, bits);
      const single = new BigInt64Array(1);
      new DataView(single.buffer).setFloat32(0, Math.fround(Number(bits)), true);
      const asInt = BigInt.asUintN(64, BigInt.asIntN(32, single[0] ?? 0n));
      return [
        low(32),
        bits,
        low(16),
        low(16),
        low(8),
        low(8),
        low(32),
        BigInt.asUintN(64, bits + low(8) + low(16)),
        asInt,
      ];
    }),
  }),
});

const vectors = kernel(
  {
    name: 'bitcastVectors',
    use: { lsa, B: vec(u8, 16), S: vec(u16, 8), W: vec(u32, 4), F: vec(f32, 4), H: vec(f16, 2) },
    params: slots,
  },
  ({ lsa, B, S, W, F, H, bitcast, lane, vec, u8, u64, u32 }, { input, out }) => {
    const bytes = lsa.localPointer(input, B, 0).load(0);
    const o = lsa.localPointer(out, W, 0);
    o.store(0, bitcast(W, bytes));
    o.store(1, bitcast(W, bitcast(S, bytes)));
    o.store(2, bitcast(W, bitcast(F, bytes)));
    o.store(3, bitcast(W, bitcast(vec(u64, 2), bytes)));
    const words = bitcast(W, bytes);
    o.store(
      4,
      W(
        lane(bitcast(vec(u8, 4), lane(words, 1)), 2),
        u32(lane(bitcast(S, words), 7)),
        bitcast(u32, bitcast(H, lane(words, 0))),
        0,
      ),
    );
  },
);

const bytes = count(16).map((i) => (i * 13 + 5) % 120);

export const vectorBitcasts: Case<'vectors/bitcast-vectors'> = computeCase({
  id: 'vectors/bitcast-vectors',
  mirrors: 'reinterpret_cast of 16 bytes, little endian',
  requires: { scalars: ['u8', 'u16', 'u64', 'f16'] },
  kernel: vectors,
  input: { type: 'u8', values: bytes },
  expected: () => {
    const view = new DataView(Uint8Array.from(bytes).buffer);
    const words = count(4).map((i) => view.getUint32(4 * i, true));
    const last = [view.getUint8(6), view.getUint16(14, true), at(words, 0), 0];
    return { type: 'u32', values: [...words, ...words, ...words, ...words, ...last] };
  },
});
