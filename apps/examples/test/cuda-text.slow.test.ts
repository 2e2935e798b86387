import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { kernels, cudaText } from './support/cuda-text.ts';

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
