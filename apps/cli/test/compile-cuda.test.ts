import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compileCuda } from '../src/module/compile-cuda.ts';
import { findCompiler } from '../src/module/find-compiler.ts';

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-compiler-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that replaces a compiler. */
function program(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

// Writes its arguments to the file after -o.
const tells = 'all="$*"\nwhile [ "$1" != -o ]; do shift; done\necho "$all" > "$2"';

describe.skipIf(process.platform === 'win32')('the CUDA compiler (shell scripts in this test)', () => {
  test("gets flags for PTX, line information and sm_90, and the user's flags", async () => {
    const nvcc = { kind: 'nvcc', path: program('tells/nvcc', tells) } as const;
    expect(await compileCuda('a.cu', ['-I', 'include'], nvcc)).toMatch(
      /^-ptx -lineinfo -arch=sm_90 -I include -o \S+kernel\.ptx a\.cu\n$/,
    );
    expect(await compileCuda('a.cu', ['-arch=sm_80'], nvcc)).toMatch(/^-ptx -lineinfo -arch=sm_80 -o/);
    const clang = { kind: 'clang', path: program('tells/clang++', tells) } as const;
    expect(await compileCuda('a.cu', [], clang)).toMatch(/^-x cuda --cuda-device-only -S .* --cuda-gpu-arch=sm_90 -o/);
  });

  test('is quoted if it refuses the file', async () => {
    const nvcc = {
      kind: 'nvcc',
      path: program('refuses/nvcc', 'echo "a.cu(3): error: expected a ;" >&2\nexit 2'),
    } as const;
    await expect(compileCuda('a.cu', [], nvcc)).rejects.toThrow(
      /nvcc cannot compile a\.cu: .*\na\.cu\(3\): error: expected a ;$/,
    );
  });

  test.each([
    ['nvcc', 'a.cu:1:10: fatal error: nvshmem.h: No such file or directory'],
    ['clang', "a.cu:1:10: fatal error: 'nvshmem.h' file not found"],
  ] as const)('%s that misses a header with a stand-in is answered with it', async (kind, text) => {
    const compiler = { kind, path: program(`misses/${kind}`, `echo "${text}" >&2\nexit 1`) } as const;
    await expect(compileCuda('a.cu', [], compiler)).rejects.toThrow(
      /help: nccl-ts has a stand-in for nvshmem\.h: write standIn: true in the harness, or --stand-in on the command line$/,
    );
  });

  test('is stopped after a time limit', async () => {
    const nvcc = { kind: 'nvcc', path: program('hangs/nvcc', 'tail -f /dev/null') } as const;
    await expect(compileCuda('a.cu', [], nvcc, 100)).rejects.toThrow(/nvcc did not end within 0\.1 s, and was stopped/);
  });

  test('is searched for in the locations that the error names', () => {
    expect(() => findCompiler({ PATH: folder, CUDA_HOME: '/nowhere' })).toThrow(
      /looked for NCCLTS_NVCC \(not set\), nvcc and clang\+\+ on the PATH, \/nowhere\/bin\/nvcc, \/usr\/local\/cuda\/bin\/nvcc/,
    );
    // A file on the PATH has no files below it.
    expect(() => findCompiler({ PATH: import.meta.filename, CUDA_HOME: '/nowhere' })).toThrow('there is no compiler');
    expect(() => findCompiler({ NCCLTS_NVCC: '/nowhere/nvcc' })).toThrow(
      'NCCLTS_NVCC is /nowhere/nvcc, but there is no such file',
    );
  });

  test('is found by NCCLTS_NVCC, then on the PATH, then in CUDA_HOME; clang++ comes last', () => {
    const nvcc = program('path/nvcc', '');
    const home = program('home/bin/nvcc', '');
    const clang = program('clang/clang++', '');
    const paths = { PATH: join(folder, 'path'), CUDA_HOME: join(folder, 'home') };
    expect(findCompiler({ ...paths, NCCLTS_NVCC: clang })).toEqual({ kind: 'clang', path: clang });
    expect(findCompiler(paths)).toEqual({ kind: 'nvcc', path: nvcc });
    expect(findCompiler({ ...paths, PATH: join(folder, 'clang') })).toEqual({ kind: 'nvcc', path: home });
    expect(findCompiler({ PATH: join(folder, 'clang') })).toEqual({ kind: 'clang', path: clang });
  });
});
