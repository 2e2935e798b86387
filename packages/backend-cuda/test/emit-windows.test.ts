import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { devComm, findWindow, windowOffset, window } from '@nccl-ts/devcomm';
import { validate } from '@nccl-ts/ir';
import { f32, kernel, ptr } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const looks = kernel(
  { name: 'looks', use: { lsa, findWindow, windowOffset }, params: { comm: devComm, win: window, at: ptr(f32) } },
  ({ lsa, findWindow, windowOffset, coopWarp, threadIdx, f32 }, { comm, win, at }) => {
    let found = win;
    if (threadIdx.x > 2) found = findWindow(coopWarp(), comm, at);
    lsa.pointer(found, f32, windowOffset(comm, at.offset(threadIdx.x)), 1).store(0, f32(found.worldRank));
    findWindow(coopWarp(), comm, at);
  },
);

describe('the CUDA text of a kernel that searches windows', () => {
  it('searches NCCL’s table to its end', async () => {
    const result = validate(looks.compile(), cuda().capabilities);
    if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
    const { text, ncclIncludes } = emitCuda(result.module, { ncclVersion: 23007 });
    await expect(text).toMatchFileSnapshot('snapshots/find-window.cu');
    expect(ncclIncludes).toContain('nccl_device/impl/comm__types.h');
    // The function is declared only once.
    expect(text.match(/window_place find_window\(/g)).toHaveLength(1);
  });
});
