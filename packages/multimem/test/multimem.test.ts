import { devComm, multimemHandle, window } from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import { analyseKernel, kernel, type Kernel } from '@nccl-ts/kernel';
import { multimem, multimemFormats } from '@nccl-ts/multimem';
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
  it('are refused if PTX has none, with the supported ones', () => {
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

  it('have types, and take words and values like intrinsics', () => {
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

  it('have 4, 8 or 16 bytes', () => {
    const bytes = { i32: 4, u32: 4, i64: 8, u64: 8, f32: 4, f64: 8, f16: 2, bf16: 2, e4m3: 1, e5m2: 1 };
    expect(Object.keys(multimemFormats).toSorted()).toEqual(Object.keys(bytes).toSorted());
    for (const [kind, size] of Object.entries(bytes)) {
      const widths = Object.entries(multimemFormats).find(([name]) => name === kind)?.[1]?.widths ?? [];
      expect(widths.map((width) => width * size).every((all) => all === 4 || all === 8 || all === 16)).toBe(true);
    }
  });
});
