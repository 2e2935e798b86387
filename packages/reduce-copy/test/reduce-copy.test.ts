import { devComm, symPtr, window } from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import { analyseKernel, bf16, bool, f32, i8, kernel, u32, vec, type Kernel } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import { describe, expect, it } from 'vitest';

const params = { comm: devComm, win: window, src: symPtr(f32), dst: symPtr(f32), half: symPtr(bf16), count: u32 };

function messages(of: Pick<Kernel, 'name' | 'use' | 'params' | 'body'>): readonly string[] {
  const result = analyseKernel(of);
  return result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
}

/** The text of the calls that stay in the IR, up to their bodies. */
function calls(of: Pick<Kernel, 'compile'>): readonly string[] {
  return [...printModule(of.compile()).matchAll(/call @?reduceCopy\.\w+/g)].map(([text]) => text);
}

describe('reduceCopy', () => {
  it('remains a call by name in the IR, in every form', () => {
    const of = kernel(
      { name: 'k', use: { reduceCopy }, params },
      ({ reduceCopy, coopCta }, { comm, win, src, dst, count }) => {
        reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, comm);
        reduceCopy.lsaReduceSum(coopCta(), win, 16, dst.localPtr(), count, comm);
        reduceCopy.lsaReduceSum(coopCta(), (i) => src.lsaPtr(i), 2, dst.localPtr(), count);
        reduceCopy.lsaCopy(coopCta(), src.localPtr(), dst, count, comm);
        reduceCopy.lsaReduceSumCopy(coopCta(), src, dst, count, comm);
      },
    );
    expect(calls(of)).toMatchInlineSnapshot(`
      [
        "call reduceCopy.lsaReduceSum",
        "call reduceCopy.lsaReduceSum",
        "call reduceCopy.lsaReduceSumLsaCopy",
        "call reduceCopy.lsaCopy",
        "call reduceCopy.lsaReduceSumCopy",
      ]
    `);
  });

  it('checks its arguments', () => {
    const wrong = kernel(
      { name: 'k', use: { reduceCopy, B: bool, V: vec(f32, 4) }, params },
      ({ reduceCopy, coopCta, f32, B, V }, { comm, src, dst, half, count }) => {
        reduceCopy.lsaReduceSum(coopCta(), src, half.localPtr(), count, comm);
        reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, count as never);
        reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), f32(count), comm);
        reduceCopy.lsaReduceSumCopy(coopCta(), src, half, count, comm);
        reduceCopy.lsaCopy(coopCta(), src.localPtr(), () => dst.localPtr(), 2, count);
        reduceCopy.lsaReduceSumLsaCopy(
          coopCta(),
          V,
          (i) => src.lsaPtr(i),
          2,
          (i) => dst.lsaPtr(i),
          2,
          count,
        );
        reduceCopy.localCopy(coopCta(), src.localPtr(), 2, dst.localPtr(), count, count, { unroll: count });
        void B;
      },
    );
    expect(messages(wrong)).toMatchInlineSnapshot(`
      [
        "K1104 reduceCopy.lsaReduceSum: 'dst' must be a pointer to f32",
        "K1126 no form of reduceCopy.lsaReduceSum takes these arguments",
        "K1104 reduceCopy.lsaReduceSum: 'count' must be an integer",
        "K1104 reduceCopy.lsaReduceSumCopy: 'dst' must be a pointer to f32",
        "K1104 reduceCopy.place: 'pointer' must be a pointer to vec(f32, 4)",
        "K2013 no such vector: its element is a vector",
        "K1113 reduceCopy.localCopy: 'unroll' must be a compile-time constant",
      ]
    `);
  });

  it('refuses integers that the switch cannot reduce', () => {
    const bytes = kernel(
      { name: 'k', use: { reduceCopy }, params: { comm: devComm, bytes: symPtr(i8), count: u32 } },
      ({ reduceCopy, coopCta }, { comm, bytes, count }) => {
        const handle = comm.lsaMultimem;
        reduceCopy.multimemCopy(coopCta(), bytes.localPtr(), bytes, count, handle);
        reduceCopy.multimemReduceSum(coopCta(), bytes, bytes.localPtr(), count, handle);
      },
    );
    const told = messages(bytes);
    expect(told.length).toBeGreaterThan(0);
    for (const message of told) expect(message).toContain('multimem has no accesses of type i8');
  });

  it('has the right TypeScript types', () => {
    kernel({ name: 'k', use: { reduceCopy }, params }, ({ reduceCopy, coopCta }, { comm, src, dst, count }) => {
      // @ts-expect-error the destination is a pointer
      reduceCopy.lsaReduceSum(coopCta(), src, dst, count, comm);
      // @ts-expect-error there is no team
      reduceCopy.lsaReduceSumCopy(coopCta(), src, dst, count);
      // @ts-expect-error unknown option
      reduceCopy.lsaCopy(coopCta(), src.localPtr(), dst, count, comm, { unrolled: 4 });
    });
    expect(Object.keys(reduceCopy.members)).toHaveLength(15);
  });
});
