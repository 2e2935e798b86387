import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';
import { allReduceKernel } from '../src/01-allreduce-lsa/all-reduce-kernel.ts';
import { sumGradients } from '../src/02-digits/sum-gradients-kernel.ts';
import { allToAllGin } from '../src/03-alltoall-gin/all-to-all-kernel.ts';
import { allToAllHybrid } from '../src/04-alltoall-hybrid/all-to-all-kernel.ts';
import { rmsNormGin } from '../src/05-rmsnorm/gin-kernel.ts';
import { rmsNormHybrid } from '../src/05-rmsnorm/hybrid-kernel.ts';
import { rmsNormLsa } from '../src/05-rmsnorm/lsa-kernel.ts';
import { rmsNormMultimem } from '../src/05-rmsnorm/multimem-kernel.ts';
import { rmsNormPush } from '../src/05-rmsnorm/push-kernel.ts';
import { allReduceOneShot } from '../src/06-allreduce-multicast/one-shot-kernel.ts';
import { allReduceTwoShot } from '../src/06-allreduce-multicast/two-shot-kernel.ts';
import { allReduceTwoShotSentinel } from '../src/06-allreduce-multicast/two-shot-sentinel-kernel.ts';
import { allToAllSentinel } from '../src/07-alltoall-lsa/sentinel-kernel.ts';
import { allToAllSimple } from '../src/07-alltoall-lsa/simple-kernel.ts';
import { combineTokens } from '../src/08-moe/combine-kernel.ts';
import { dispatchTokens } from '../src/08-moe/dispatch-kernel.ts';
import { weighTokens } from '../src/08-moe/weigh-kernel.ts';

const kernels: readonly Kernel[] = [
  allReduceKernel,
  sumGradients,
  allToAllGin,
  allToAllHybrid,
  rmsNormLsa,
  rmsNormMultimem,
  rmsNormPush,
  rmsNormGin,
  rmsNormHybrid,
  allReduceOneShot,
  allReduceTwoShot,
  allReduceTwoShotSentinel,
  allToAllSimple,
  allToAllSentinel,
  dispatchTokens,
  weighTokens,
  combineTokens,
];

/** NCCL 2.30.7, the version whose API the examples use. */
const ncclVersion = 23007;

function cudaText(kernel: Kernel): string {
  // Multicast is only tested as text, because no world of GPUs has it.
  const result = validate(kernel.compile(), { ...cuda().capabilities, multimem: true });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion }).text;
}

describe('the CUDA text of an example', () => {
  it.each(kernels.map((kernel) => [kernel.name, kernel] as const))(
    'the CUDA text of kernel %s equals its snapshot',
    async (name, kernel) => {
      await expect(cudaText(kernel)).toMatchFileSnapshot(`snapshots/cuda/${name}.cu`);
    },
  );
});

const canCompile = ((): boolean => {
  try {
    execFileSync('nvcc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
const unlessNvcc = canCompile ? '' : ' (skipped: no nvcc on PATH; .ci/run installs one)';

function compile(text: string, includes: readonly string[], flags: readonly string[]): void {
  const directory = mkdtempSync(join(tmpdir(), 'nccl-ts-examples-'));
  try {
    writeFileSync(join(directory, 'kernel.cu'), text);
    const searched = includes.flatMap((include) => ['-I', include]);
    const all = ['-arch=sm_90', '-std=c++17', ...searched, ...flags, '-o', 'kernel.out', 'kernel.cu'];
    execFileSync('nvcc', all, { cwd: directory, stdio: 'pipe' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe.skipIf(!canCompile)(`nvcc compiles it${unlessNvcc}`, () => {
  /**
   * One of this many kernels is compiled. With NCCLTS_EVERY_CASE all are, which takes half a
   * minute.
   */
  const step = inject('everyCase') ? 1 : 6;
  const named = kernels.filter((_, i) => i % step === 0).map((kernel) => [kernel.name, kernel] as const);
  const declarations = join(import.meta.dirname, '../../../packages/backend-cuda/test/fixtures/nccl/include');

  it.each(named)('against our own declarations: %s', { timeout: 120_000 }, (_name, kernel) => {
    const flags = ['-ptx', '-rdc=true', '-Wno-deprecated-gpu-targets'];
    expect(() => compile(cudaText(kernel), [declarations], flags)).not.toThrow();
  });

  const { NCCL_HOME } = process.env;
  const unlessHeaders = NCCL_HOME === undefined ? ' (skipped: NCCL_HOME names no NCCL)' : '';
  it.skipIf(NCCL_HOME === undefined).each(named)(
    `against NCCL's headers: %s${unlessHeaders}`,
    { timeout: 240_000 },
    (_name, kernel) => {
      expect(() => compile(cudaText(kernel), [join(NCCL_HOME ?? '', 'include')], ['-cubin'])).not.toThrow();
    },
  );
});
