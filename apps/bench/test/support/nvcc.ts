import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const declarations = join(import.meta.dirname, '../../../../packages/backend-cuda/test/fixtures/nccl/include');

/** True if CUDA text can be compiled here. */
export const canCompile: boolean = ((): boolean => {
  try {
    execFileSync('nvcc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** For the titles of tests that need nvcc: why they are skipped, or nothing. */
export const unlessNvcc: string = canCompile ? '' : ' (skipped: no nvcc on PATH; .ci/run installs one)';

/**
 * Compiles CUDA text for sm_90 against the declarations of NCCL that stand in for its headers.
 * Returns what nvcc prints.
 *
 * @throws Error with nvcc's messages if it refuses the text.
 */
export function compileText(text: string, flags: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'nccl-ts-nvcc-'));
  try {
    writeFileSync(join(directory, 'kernel.cu'), text);
    const all = ['-arch=sm_90', '-std=c++17', '-rdc=true', ...flags, '-I', `'${declarations}'`, '-o', 'kernel.out'];
    const command = `nvcc ${all.join(' ')} kernel.cu 2>&1`;
    return execFileSync('sh', ['-c', command], { cwd: directory, stdio: 'pipe', encoding: 'utf8' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
