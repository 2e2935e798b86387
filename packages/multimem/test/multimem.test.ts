import { scalarInfo } from '@nccl-ts/core';
import { devComm, multimemHandle, window } from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import {
  analyseKernel,
  bf16,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  kernel,
  u16,
  u32,
  u64,
  u8,
  type Kernel,
} from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { describe, expect, it } from 'vitest';

const params = { comm: devComm, handle: multimemHandle, win: window };

function messages(of: Kernel): readonly string[] {
  const result = analyseKernel(of);
  return result.ok ? [] : result.diagnostics.map(({ code, message, hint }) => `${code} ${message} (${hint ?? ''})`);
}

describe('multicast pointers', () => {
  it('name a window, a group and a byte', () => {
    const of = kernel({ name: 'k', use: { multimem }, params }, ({ multimem, u32, f32 }, { comm, handle, win }) => {
      multimem.lsaPointer(win, u32, 16, comm).store(1, 2);
      multimem.pointer(win, f32, 32, handle).store(0, 1);
    });
    expect(printModule(of.compile())).toMatchInlineSnapshot(`
      "kernel k
      param $0 comm: DevComm
      param $1 handle.mcBasePtr: addr
      param $2 win: Window
      {
        store (@multimem.lsaPointer<type = type u32>($2, 16:addr, $0) { multicast(u32, arg(0), arg(2).lsaMultimem.mcBasePtr:addr, arg(1)) } +> 1:i32), 2:u32
        store @multimem.pointer<type = type f32>($2, 32:addr, $1) { multicast(f32, arg(0), arg(2), arg(1)) }, 1:f32
      }
      "
    `);
  });
});

describe('accesses', () => {
  it('are refused if PTX lacks them, and the error lists the supported ones', () => {
    const wrong = kernel(
      { name: 'k', use: { multimem }, params },
      ({ multimem, u8, u16, f16, f64, bf16, u32, e4m3, vec }, { comm, win }) => {
        multimem.loadReduce(multimem.lsaPointer(win, u16, 0, comm));
        multimem.store(multimem.lsaPointer(win, f16, 0, comm), 1);
        multimem.store(multimem.lsaPointer(win, vec(u32, 4), 0, comm), 1);
        multimem.loadReduce(multimem.lsaPointer(win, f64, 0, comm), 'min');
        multimem.reduce(multimem.lsaPointer(win, vec(bf16, 8), 0, comm), vec(bf16, 8)(1), 'max');
        multimem.reduce(multimem.lsaPointer(win, vec(e4m3, 4), 0, comm), vec(e4m3, 4)(1));
        multimem.store(multimem.lsaPointer(win, vec(u8, 4), 0, comm), 1);
      },
    );
    const types =
      'the types are i32, u32, i64, u64, f32, vec(f32, 2), vec(f32, 4), f64, vec(f16, 2), vec(f16, 4), vec(f16, 8), ' +
      'vec(bf16, 2), vec(bf16, 4), vec(bf16, 8), vec(e4m3, 4), vec(e4m3, 8), vec(e4m3, 16), vec(e5m2, 4), vec(e5m2, 8), ' +
      'vec(e5m2, 16)';
    expect(messages(wrong)).toEqual([
      `K1125 multimem.loadReduce: multimem has no accesses of type u16 (${types})`,
      `K1125 multimem.store: multimem has no accesses of type f16 (${types})`,
      `K1125 multimem.store: multimem has no accesses of type vec(u32, 4) (${types})`,
      "K1125 multimem.loadReduce: multimem does not support 'min' of f64 there (the operations are add)",
      "K1125 multimem.reduce: multimem does not support 'max' of vec(bf16, 8) there (the operations are add)",
      "K1125 multimem.reduce: multimem does not support 'add' of vec(e4m3, 4) there (combine values of a wider type)",
      `K1125 multimem.store: multimem has no accesses of type vec(u8, 4) (${types})`,
    ]);
  });

  it('have TypeScript types, and accept the same arguments as intrinsics', () => {
    const wrong = kernel({ name: 'k', use: { multimem }, params }, ({ multimem, u32, f32 }, { comm, win }) => {
      const p = multimem.lsaPointer(win, u32, 0, comm);
      // @ts-expect-error there is no such operation
      multimem.loadReduce(p, 'sum');
      multimem.store(p, f32(1));
      // @ts-expect-error a number is no pointer
      multimem.reduce(1, 2);
      // @ts-expect-error the value is missing
      multimem.store(p);
    });
    expect(messages(wrong).map((message) => message.replace(/ \(.*/, ''))).toEqual([
      "K1105 multimem.loadReduce: 'op' cannot be 'sum'",
      'K2003 f32 is not converted to u32 implicitly',
      "K1104 multimem.reduce: 'p' must be a pointer",
      'K1103 multimem.store takes 2 arguments, given 1',
    ]);
  });

  // PTX has accesses of one integer or f64, and vectors of the smaller floats.
  const kinds = [i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2] as const;
  const widths = [1, 2, 4, 8, 16] as const;
  // The language has no vectors of more than 16 bytes.
  const values = kinds.flatMap((T) =>
    widths.filter((width) => scalarInfo[T.scalar].bytes * width <= 16).map((width) => [T.scalar, width, T] as const),
  );
  it.each(values)('on %s with %i elements exist if they have 4, 8 or 16 bytes', (kind, width, T) => {
    const bytes = scalarInfo[kind].bytes * width;
    const isVector = scalarInfo[kind].class === 'float' && kind !== 'f64';
    const store = kernel(
      { name: 'k', use: { multimem, T, width }, params },
      ({ multimem, T, width, vec }, { comm, win }) => {
        const type = width === 1 ? T : vec(T, width);
        multimem.store(multimem.lsaPointer(win, type, 0, comm), type(T(1)));
      },
    );
    const refused = messages(store).map((message) => message.slice(0, 5));
    expect(refused).toEqual([4, 8, 16].includes(bytes) && (width === 1 || isVector) ? [] : ['K1125']);
  });
});
