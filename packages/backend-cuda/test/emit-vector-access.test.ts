import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { validate } from '@nccl-ts/ir';
import { bf16, f32, kernel, ptr, u32, u64, vec, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';
import { compileText, hasNvcc, unlessNvcc } from './support/nvcc.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

function textOf(of: Kernel): string {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion: 22809 }).text;
}

const moves = kernel(
  { name: 'moves', use: { Wide: vec(u64, 2), Floats: vec(f32, 4) }, params: { p: ptr(u32), n: u32 } },
  ({ Wide, Floats, lane, localArray, threadIdx, u32, vec, waitUntil }, { p, n }) => {
    const V = vec(u32, 4);
    const came = localArray(V, 1);
    waitUntil(() => {
      const word = p.cast(V).load(n + threadIdx.x, 'relaxed', 'system');
      came.store(0, word);
      return lane(word, 0) !== 0;
    });
    p.cast(V).store(threadIdx.x, came.load(0), 'relaxed', 'device');
    p.cast(Floats).store(7, p.cast(Floats).load(6, 'relaxed', 'block'), 'relaxed');
    p.cast(Wide).store(1, p.cast(Wide).load(0, 'relaxed'), 'relaxed');
    p.cast(vec(u32, 2)).store(1, p.cast(vec(u32, 2)).load(0, 'relaxed'), 'relaxed');
  },
);

const others = kernel(
  { name: 'others', use: { Halves: vec(bf16, 2) }, params: { p: ptr(u32) } },
  ({ Halves, u32, vec }, { p }) => {
    // PTX has no such instruction, or none for the scope of one thread. Accesses that the author
    // wrote separately stay separate.
    p.cast(Halves).store(1, p.cast(Halves).load(0, 'relaxed'), 'relaxed');
    p.cast(vec(u32, 2)).store(1, p.cast(vec(u32, 2)).load(0, 'relaxed', 'thread'), 'relaxed', 'thread');
    p.store(1, p.load(0, 'relaxed'), 'relaxed');
    p.store(2, p.load(1, 'relaxed'), 'relaxed');
  },
);

const canCompile = hasNvcc();

describe('the text of relaxed accesses of vectors', () => {
  it.for(quick)('uses one instruction for each access', async () => {
    const text = textOf(moves);
    await expect(text).toMatchFileSnapshot('snapshots/vector-access.cu');
    expect(text).not.toContain('cuda::atomic_ref');
  });

  it.for(quick)('uses one instruction for each element if there is no such instruction', () => {
    expect(textOf(others)).not.toMatch(/(ld|st)\.relaxed/);
    expect(textOf(others).match(/nts::(load|store)</g)).toHaveLength(2 * (2 + 2 + 2));
  });

  it.skipIf(!canCompile).for(slow)(`compiles${unlessNvcc}`, () => {
    const flags = ['-cubin', '-arch=sm_90', '-Werror', 'all-warnings'];
    for (const one of [moves, others]) expect(() => compileText(textOf(one), flags)).not.toThrow();
  });
});
