import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For the titles of tests that need nvcc: the reason why they are skipped, or nothing. */
export const unlessNvcc: string = hasNvcc() ? '' : ' (skipped: no nvcc on PATH; .ci/run installs one)';

/**
 * For the titles of tests that need NCCL's own headers: the reason why they are skipped, or
 * nothing.
 */
export const unlessHeaders: string =
  ncclHeaders() === undefined ? ' (skipped: NCCL_HOME names no NCCL to compile against)' : '';

/** True if texts can be compiled here. */
export function hasNvcc(): boolean {
  try {
    execFileSync('nvcc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The folder of NCCL's own headers, if `NCCL_HOME` names NCCL. */
export function ncclHeaders(): string | undefined {
  const { NCCL_HOME } = process.env;
  return NCCL_HOME === undefined ? undefined : join(NCCL_HOME, 'include');
}

/** Compiles a text. If nvcc rejects it, throws nvcc's message. */
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

/**
 * Compiles several texts as one, which takes little more time than one of them. Each text keeps its
 * own definitions of the names in `nts`, and its own name of the kernel.
 */
export function compileTexts(texts: readonly string[], flags: readonly string[]): void {
  const renamed = texts.map((text, i) => {
    const kernel = /__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\(/.exec(text)?.[1];
    const names = kernel === undefined ? ['nts'] : ['nts', kernel];
    const lines = (make: (name: string) => string): string => names.map(make).join('\n');
    return `${lines((name) => `#define ${name} ${name}_${i}`)}\n${text}\n${lines((name) => `#undef ${name}`)}\n`;
  });
  compileText(renamed.join(''), flags);
}

/** The flags for declarations that replace NCCL's headers of a version. */
export function standInFlags(ncclVersion: number): readonly string[] {
  return ['-rdc=true', '-Wno-deprecated-gpu-targets', `-DNCCL_STAND_IN_VERSION=${ncclVersion}`];
}

/** The folder of declarations that replace NCCL's headers. */
export const standInHeaders: string = join(import.meta.dirname, '../fixtures/nccl/include');
