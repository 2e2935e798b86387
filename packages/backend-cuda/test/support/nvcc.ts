import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** True if texts can be compiled here. Where not, the run says so. */
export function hasNvcc(): boolean {
  try {
    execFileSync('nvcc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('skipped: there is no nvcc on PATH (.ci/run installs one from Python’s package registry)\n');
    return false;
  }
}

/**
 * Where NCCL's own headers lie, if `NCCL_HOME` says it. Where it does not, the run says what is
 * left out.
 */
export function ncclHeaders(): string | undefined {
  const { NCCL_HOME } = process.env;
  if (NCCL_HOME !== undefined) return join(NCCL_HOME, 'include');
  process.stderr.write("skipped: NCCL_HOME names no NCCL, so nothing is compiled against NCCL's own headers\n");
  return undefined;
}

/** Compiles a text, and throws what nvcc says where it does not take it. */
export function compileText(text: string, flags: readonly string[]): void {
  const directory = mkdtempSync(join(tmpdir(), 'nccl-ts-nvcc-'));
  try {
    writeFileSync(join(directory, 'kernel.cu'), text);
    const all = ['-std=c++17', ...flags, '-o', 'kernel.out', 'kernel.cu'];
    execFileSync('nvcc', all, { cwd: directory, stdio: 'pipe' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
