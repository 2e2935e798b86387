import { builtin, compare, constant, type Expression } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

const u32 = (value: number): Expression => constant('u32', value);
const floatBits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;

/** Runs `text` in thread 0 of each rank, or only of the first. */
function first(p: ThreadProgram, act: () => void): void {
  p.when(compare('eq', builtin('threadLinear'), u32(0)), act);
}

const multicast = { ranks: 4, multicast: true, block: 32 };

describe('multimem', () => {
  it.each(['js', 'wasm'] as const)('ld_reduce combines the copies of all ranks: %s', async (engine) => {
    const { out } = await runProgram(
      (p) =>
        first(p, () => {
          p.ptx(
            'multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [data]',
            'multimem.ld_reduce.weak.global.max.u32 %r1, [data+4]',
            'multimem.ld_reduce.global.add.acc::f32.v2.bf16x2 {%r2, %r3}, [data+8]',
            'multimem.ld_reduce.acquire.sys.global.min.f16x2 %r4, [data+16]',
            'multimem.ld_reduce.global.xor.b64 %rd1, [data+24]',
          );
          ['%f1', '%r1', '%r2', '%r3', '%r4', '%rd1'].forEach((register, slot) => p.out(slot, p.get(register)));
        }),
      {
        ...multicast,
        engine,
        data: (rank) => [
          floatBits(rank + 1),
          100 - rank,
          0x3f804000,
          0x40003f80,
          0x3c004000 + rank,
          0,
          1 << rank,
          rank,
        ],
      },
    );
    expect(out.slice(0, 6).map(([value]) => value)).toEqual([
      floatBits(10),
      100,
      // 4 times 1 and 2, and 2 and 1, as bf16.
      0x40804100,
      0x41004080,
      0x3c004000,
      15,
    ]);
  });

  it('ld_reduce rounds sums of halves once', async () => {
    const { out } = await runProgram(
      (p) =>
        first(p, () => {
          p.ptx('multimem.ld_reduce.global.add.acc::f32.bf16x2 %r1, [data]');
          p.out(0, p.get('%r1'));
        }),
      // 256 plus three times 1 is 259, which bf16 rounds to 260. But 256 plus 1 rounds to 256.
      { ...multicast, data: (rank) => [rank === 0 ? 0x43804380 : 0x3f803f80] },
    );
    expect(out[0]?.[0]).toBe(0x43824382);
  });

  it('st and red reach the copies of all ranks', async () => {
    const { data } = await runProgram(
      (p) => {
        p.set('%rd1', constant('u64', 0x1_0000_0002n));
        first(p, () =>
          p.ptx(
            'multimem.st.relaxed.sys.global.v4.f32 [data], {0f3F800000, 0f40000000, 0f3F800000, 0f40000000}',
            'multimem.red.relaxed.sys.global.add.u32 [data+16], 3',
            'multimem.red.global.add.v2.f16x2 [data+24], {0x40003c00, 0x3c003c00}',
            'multimem.st.weak.global.b64 [data+32], %rd1',
            'multimem.red.release.gpu.global.or.b32 [data+40], 5',
          ),
        );
      },
      { ...multicast, data: () => [0, 0, 0, 0, 1] },
    );
    expect(data.slice(0, 11)).toEqual([
      floatBits(1),
      floatBits(2),
      floatBits(1),
      floatBits(2),
      1 + 3 * 4,
      0,
      0x48004400,
      0x44004400,
      2,
      1,
      5,
    ]);
  });

  it('st stores vectors of all sizes to all copies', async () => {
    const { data } = await runProgram(
      (p) =>
        first(p, () =>
          p.ptx(
            'multimem.st.global.v4.f32 [data], {0f3F800000, 0f40000000, 0f3F800000, 0f40000000}',
            'multimem.st.weak.global.v2.f32 [data+16], {0f40000000, 0f3F800000}',
            'multimem.st.global.v4.bf16x2 [data+32], {1, 2, 3, 4}',
            'multimem.st.global.v2.f16x2 [data+48], {5, 6}',
          ),
        ),
      { ...multicast, data: () => [] },
    );
    expect(data.slice(0, 14)).toEqual([...[1, 2, 1, 2, 2, 1].map((value) => floatBits(value)), 0, 0, 1, 2, 3, 4, 5, 6]);
  });

  it('on an ordinary address is misuse', async () => {
    const program = (p: ThreadProgram): void => first(p, () => p.ptx('multimem.st.weak.global.u32 [data], 1'));
    await expect(runProgram(program, { ranks: 2 })).rejects.toThrow(/multimem\.\* got a null or an ordinary address/u);
  });
});

describe('a plain PTX access to a multicast address', () => {
  it('is misuse', async () => {
    const program = (p: ThreadProgram): void => first(p, () => p.ptx('red.global.add.u32 [data], 1'));
    await expect(runProgram(program, multicast)).rejects.toThrow(/multicast/u);
  });
});
