import {
  addressPointer,
  param,
  pointerOffset,
  binary,
  builtin,
  compare,
  constant,
  convert,
  scalarType,
  type Expression,
} from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { checkProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

const u32 = (value: number): Expression => constant('u32', value);
const thread = builtin('threadLinear');
const second = pointerOffset(addressPointer(scalarType('u32'), param(1, scalarType('u64'))), u32(1));
const sum = (64 * 63) / 2;

/**
 * `%r1` is the thread's number, and `%r2` is one more. `%rd2` is `%r2` in 64 bits, and `%f1` and
 * `%fd1` are `%r2` as floats.
 */
function numbers(p: ThreadProgram): void {
  p.set('%r1', thread);
  p.set('%r2', binary('add', thread, u32(1)));
  p.set('%rd2', convert(scalarType('u64'), p.get('%r2')));
  p.set('%f1', convert(scalarType('f32'), thread));
  p.set('%fd1', convert(scalarType('f64'), thread));
}

const floatBits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;

describe('red', () => {
  it.each(['js', 'wasm'] as const)('updates global memory by each operation: %s', async (engine) => {
    const { data } = await runProgram(
      (p) => {
        numbers(p);
        p.ptx(
          'red.global.add.u32 [data], %r1',
          'red.add.s32 [data+4], -2',
          'red.relaxed.gpu.global.min.u32 [data+8], %r2',
          'red.global.max.s32 [data+12], %r1',
          'red.global.and.b32 [data+16], %r1',
          'red.release.sys.global.or.b32 [data+20], %r1',
          'red.global.xor.b32 [data+24], %r2',
          'red.global.add.f32 [data+28], %f1',
          'red.global.add.u64 [data+32], %rd2',
          'red.global.add.f64 [data+40], %fd1',
          'red.global.inc.u32 [data+48], 9',
          'red.global.dec.u32 [data+52], 10',
          'red.global.min.s64 [data+56], %rd2',
          'red.global.add.L2::cache_hint.u32 [data+64], %r1, %rd2',
          'red.async.release.global.gpu.add.u32 [data+68], %r1',
          'red.async.mmio.release.sys.global.add.u64 [data+72], %rd2',
        );
      },
      { engine, data: () => [5, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0x80000000] },
    );
    const doubles = new Uint32Array(Float64Array.of(sum).buffer);
    let [up, down] = [0, 3];
    for (let i = 0; i < 64; i++) {
      up = up >= 9 ? 0 : up + 1;
      down = down === 0 || down > 10 ? 10 : down - 1;
    }
    expect(data.slice(0, 20)).toEqual([
      sum + 5,
      -128 >>> 0,
      1,
      63,
      0,
      63,
      Array.from({ length: 64 }, (_, i) => i + 1).reduce((a, b) => a ^ b, 0),
      floatBits(sum),
      sum + 64,
      0,
      doubles[0],
      doubles[1],
      up,
      down,
      0,
      0x80000000,
      sum,
      sum,
      sum + 64,
      0,
    ]);
  });

  it('adds to each half of packed values, and to each element of vectors', async () => {
    const { data } = await runProgram((p) => {
      numbers(p);
      p.ptx(
        // 1 and 2; 1 and 2.
        'red.global.add.noftz.f16x2 [data], 0x40003c00',
        'red.global.add.noftz.bf16x2 [data+4], 0x40003f80',
        'red.global.v4.f32.add [data+16], {%f1, 0f3F800000, %f1, 0f40000000}',
        'red.global.add.noftz.v2.f16x2 [data+32], {0x40003c00, 0x3c004000}',
      );
    });
    expect(data[0]).toBe(0x58005400);
    expect(data[1]).toBe(0x43004280);
    expect(data.slice(4, 8)).toEqual([sum, 64, sum, 128].map(floatBits));
    expect(data.slice(8, 10)).toEqual([0x58005400, 0x54005800]);
  });

  it('reaches shared memory', async () => {
    const { out } = await runProgram((p) => {
      numbers(p);
      p.ptx('red.shared.add.u32 [smem+8], %r1', 'red.shared::cta.max.u32 [smem+12], %r1', 'bar.sync 0');
      p.set('%r3', u32(8));
      p.ptx('atom.shared.add.u32 %r4, [%r3], 0', 'atom.shared.or.b32 %r5, [%r3+4], 0');
      p.out(0, p.get('%r4'));
      p.out(1, p.get('%r5'));
    });
    expect(out[0]).toEqual(Array.from({ length: 64 }, () => sum));
    expect(out[1]).toEqual(Array.from({ length: 64 }, () => 63));
  });
});

describe('atom', () => {
  it('returns each previous value once', async () => {
    const { out } = await runProgram((p) => {
      numbers(p);
      p.ptx(
        'atom.global.add.u32 %r3, [data], 1',
        'atom.global.inc.u32 %r4, [data+4], 1000',
        'atom.global.exch.b32 %r5, [data+8], %r2',
      );
      ['%r3', '%r4', '%r5'].forEach((register, slot) => p.out(slot, p.get(register)));
    });
    const each = Array.from({ length: 64 }, (_, i) => i);
    for (const slot of [0, 1]) expect(out[slot]?.toSorted((a, b) => a - b)).toEqual(each);
    // The results are the first word and all exchanged values except the last.
    expect(new Set(out[2]).size).toBe(64);
    expect(out[2]).toContain(0);
  });

  it('may set the register that it reads', async () => {
    const { out, data } = await runProgram(
      (p) => {
        numbers(p);
        p.when(compare('eq', thread, u32(0)), () => {
          p.set('%r2', u32(7));
          p.ptx('atom.global.add.u32 %r2, [data], %r2', 'atom.global.cas.b32 %r1, [data], 12, %r1');
          p.out(0, p.get('%r2'));
          p.out(1, p.get('%r1'));
        });
      },
      { data: () => [5] },
    );
    expect([out[0]?.[0], out[1]?.[0], data[0]]).toEqual([5, 12, 0]);
  });

  it('compares and swaps 16, 32 and 64 bits', async () => {
    const { out, data } = await runProgram(
      (p) => {
        p.set('%rs1', constant('u16', 0xabcd));
        p.set('%rs2', constant('u16', 0x1111));
        p.set('%rd1', constant('u64', 0x1_0000_0002n));
        p.set('%rd2', constant('u64', 0x3_0000_0004n));
        p.when(compare('eq', thread, u32(0)), () => {
          p.ptx(
            'atom.global.cas.b16 %rs3, [data+2], %rs1, %rs2',
            'atom.acq_rel.sys.global.cas.b32 %r1, [data+4], 9, 10',
            'atom.global.cas.b64 %rd3, [data+8], %rd1, %rd2',
          );
          p.out(0, convert(scalarType('u32'), p.get('%rs3')));
          p.out(1, p.get('%r1'));
          p.out(2, p.get('%rd3'));
        });
      },
      { data: () => [0xabcd0007, 8, 2, 1] },
    );
    expect([out[0]?.[0], out[1]?.[0], out[2]?.[0]]).toEqual([0xabcd, 8, 2]);
    expect(data.slice(0, 4)).toEqual([0x11110007, 8, 4, 3]);
  });

  it('returns packed and vector values in their registers', async () => {
    const { out } = await runProgram(
      (p) => {
        p.when(compare('eq', thread, u32(0)), () => {
          p.ptx(
            'atom.global.add.noftz.f16x2 %r1, [data], 0x40003c00',
            'atom.global.v2.f32.add {%f1, %f2}, [data+8], {0f3F800000, 0f3F800000}',
          );
          ['%r1', '%f1', '%f2'].forEach((register, slot) => p.out(slot, p.get(register)));
        });
      },
      { data: () => [0x3c004000, 0, floatBits(3), floatBits(4)] },
    );
    expect(out.slice(0, 3).map(([first]) => first)).toEqual([0x3c004000, floatBits(3), floatBits(4)]);
  });
});

describe('a message through an atomic flag', () => {
  /** Thread 0 writes the second word. Thread 32 reads the flag and then the word. */
  const message =
    (publish: string) =>
    (p: ThreadProgram): void => {
      p.when(compare('eq', thread, u32(0)), () => {
        p.emit({ kind: 'store', pointer: second, value: u32(7), span: p.span });
        p.ptx(publish);
      });
      p.when(compare('eq', thread, u32(32)), () => {
        p.ptx('atom.acquire.gpu.global.add.u32 %r2, [data], 0');
        p.when(compare('eq', p.get('%r2'), u32(1)), () => {
          const id = p.local('loaded', scalarType('u32'));
          p.emit({ kind: 'load', local: id, pointer: second, span: p.span });
        });
      });
    };

  it('races only if the flag is not released', async () => {
    const kinds = async (publish: string): Promise<unknown> => {
      const findings = await checkProgram(message(publish), { strategy: 'exhaustive', block: 33, data: () => [0, 0] });
      return [...new Set(findings.map(({ kind }) => kind))];
    };
    expect(await kinds('red.release.gpu.global.add.u32 [data], 1')).toEqual([]);
    expect(await kinds('red.global.add.u32 [data], 1')).toEqual(['race']);
  });
});
