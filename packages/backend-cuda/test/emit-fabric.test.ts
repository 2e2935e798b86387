import { cuda, emitCuda, type CudaSource } from '@nccl-ts/backend-cuda';
import { validate } from '@nccl-ts/ir';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fabricFences } from './support/fabric-kernels.ts';
import { compileText, hasNvcc, unlessNvcc } from './support/nvcc.ts';

function emitted(ncclVersion: number): CudaSource {
  const result = validate(fabricFences.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion });
}

describe('the CUDA text of fences of the fabric proxy', () => {
  it("calls NCCL's ncclMemFence for one thread", async () => {
    const { text, ncclIncludes } = emitted(23102);
    await expect(text).toMatchFileSnapshot('snapshots/fabric-fences-23102.cu');
    expect(ncclIncludes).toContain('nccl_device/impl/cft__funcs.h');
  });

  it('is refused for an older NCCL, with the version that has them', () => {
    expect(() => emitted(23007)).toThrow(
      expect.objectContaining({
        code: 'NCCLTS_NOT_SUPPORTED',
        message: expect.stringContaining('uses fences of the fabric proxy, which NCCL 2.30.7 lacks; 2.31.2 brings it.'),
      }),
    );
  });
});

describe.skipIf(!hasNvcc())(`nvcc compiles the fences of the fabric proxy${unlessNvcc}`, () => {
  it('against declarations equal to those of NCCL 2.31', { timeout: 120_000 }, () => {
    const include = join(import.meta.dirname, 'fixtures/nccl/include');
    const flags = ['-arch=sm_90', '-I', include, '-ptx', '-rdc=true', '-Wno-deprecated-gpu-targets'];
    expect(() => compileText(emitted(23102).text, [...flags, '-DNCCL_STAND_IN_VERSION=23102'])).not.toThrow();
  });
});
