import { cuda, emitCuda, type CudaSource } from '@nccl-ts/backend-cuda';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';
import {
  fabricBarriers,
  fabricCounted,
  fabricFences,
  fabricOperations,
  fabricParameter,
  fabricReductions,
  fabricReductionsCounted,
  fabricResources,
} from './support/fabric-kernels.ts';
import { compileTexts, hasNvcc, standInFlags, standInHeaders, unlessNvcc } from './support/nvcc.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

function emitted(ncclVersion: number, kernel: Kernel = fabricFences): CudaSource {
  const result = validate(kernel.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion });
}

describe.for(quick)('the CUDA text of fences of the fabric proxy', () => {
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

describe.for(quick)('the CUDA text of operations of logical endpoints', () => {
  it('constructs an ncclCft in place and calls its methods', async () => {
    await expect(emitted(23102, fabricOperations).text).toMatchFileSnapshot('snapshots/fabric-operations-23102.cu');
    await expect(emitted(23203, fabricCounted).text).toMatchFileSnapshot('snapshots/fabric-counted-23203.cu');
  });

  it("passes NCCL's type of the operation and the elements to a reduction", async () => {
    await expect(emitted(23102, fabricReductions).text).toMatchFileSnapshot('snapshots/fabric-reductions-23102.cu');
    await expect(emitted(23203, fabricReductionsCounted).text).toMatchFileSnapshot(
      'snapshots/fabric-reductions-counted-23203.cu',
    );
  });

  it('finds the endpoints of resource buffers in the resource window, and takes endpoints as parameters', async () => {
    await expect(emitted(23102, fabricResources).text).toMatchFileSnapshot('snapshots/fabric-resources-23102.cu');
    expect(emitted(23102, fabricParameter).text).toContain('cft0.put(ncclCoopCta(), le_leId, le_leOffset,');
  });

  it('makes an ncclCftBarrierSession in place, for groups of its type', async () => {
    const { text, ncclIncludes } = emitted(23102, fabricBarriers);
    await expect(text).toMatchFileSnapshot('snapshots/fabric-barriers-23102.cu');
    expect(ncclIncludes).toContain('nccl_device/impl/cft_barrier__funcs.h');
  });

  it('is refused for older versions, with the first version that has them', () => {
    const refusal = (message: string): unknown =>
      expect.objectContaining({ code: 'NCCLTS_NOT_SUPPORTED', message: expect.stringContaining(message) });
    expect(() => emitted(23007, fabricOperations)).toThrow(
      refusal('uses the compute fabric transport, which NCCL 2.30.7 lacks; 2.31.2 brings it.'),
    );
    expect(() => emitted(23102, fabricCounted)).toThrow(
      refusal('uses `cft.session.putCounted`, which NCCL 2.31.2 lacks; 2.32.3 brings it.'),
    );
    expect(() => emitted(23102, fabricReductionsCounted)).toThrow(
      refusal('uses `cft.session.redCounted`, which NCCL 2.31.2 lacks; 2.32.3 brings it.'),
    );
  });
});

describe.skipIf(!hasNvcc()).each(slow)(`nvcc compiles the text of the compute fabric${unlessNvcc}`, () => {
  const texts = (): readonly string[] => [
    ...[fabricFences, fabricOperations, fabricResources, fabricParameter, fabricReductions, fabricBarriers].map(
      (of) => emitted(23102, of).text,
    ),
    ...[fabricCounted, fabricReductionsCounted].map((of) => emitted(23203, of).text),
  ];
  const flags = (ncclVersion: number): readonly string[] => [
    '-arch=sm_90',
    '-ptx',
    '-I',
    standInHeaders,
    ...standInFlags(ncclVersion),
  ];

  it('against declarations like those of NCCL 2.32', { timeout: 120_000 }, () => {
    expect(() => compileTexts(texts(), flags(23203))).not.toThrow();
  });

  it('and those of NCCL 2.31 have no counted operations', { timeout: 120_000 }, () => {
    expect(() => compileTexts(texts(), flags(23102))).toThrow('has no member "putCounted"');
  });
});
