import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fixtures = join(import.meta.dirname, '../fixtures/fake-gpu');

/** The failure of NVRTC from now on. */
export interface NvrtcFailure {
  /** The `nvrtcResult`. 6 means that the text does not compile. */
  readonly result: number;
  readonly messages: string;
  /** If set, only texts that contain this fail. */
  readonly only?: string;
}

/**
 * A toolkit with an NVRTC that is a real shared library and compiles nothing. By default it also
 * has a fake nvcc.
 */
export interface FakeToolkit {
  readonly home: string;
  /** Returns the options of each compilation with NVRTC, in one line. */
  nvrtcRuns(): readonly string[];
  nvccRuns(): number;
  fail(failure: NvrtcFailure | undefined): void;
  crash(): void;
  nvccFails(messages: string): void;
  dispose(): void;
}

export function createFakeToolkit(options: { readonly nvcc?: boolean; readonly minor?: number } = {}): FakeToolkit {
  const { nvcc = true, minor = 0 } = options;
  const home = mkdtempSync(join(tmpdir(), 'nccl-ts-toolkit-'));
  const [bin, lib] = [join(home, 'bin'), join(home, 'lib64')];
  for (const directory of [bin, lib, join(home, 'include/cccl')]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(home, 'include/cuda.h'), '#define CUDA_VERSION 13000\n');
  if (nvcc) copyFileSync(join(fixtures, 'nvcc.sh'), join(bin, 'nvcc'));
  if (nvcc) chmodSync(join(bin, 'nvcc'), 0o755);
  for (const directory of [bin, lib]) copyFileSync(join(fixtures, 'layout.ptx'), join(directory, 'layout.ptx'));
  compile(`-DHERE="${lib}"`, `-DMINOR=${minor}`, '-o', join(lib, 'libnvrtc.so.13'), join(fixtures, 'nvrtc.c'));
  compile('-o', join(lib, 'libnvrtc-builtins.so.13.0'), '-x', 'c', '/dev/null');
  const lines = (path: string): readonly string[] =>
    existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const tell = (name: string, text: string | undefined): void =>
    text === undefined ? rmSync(join(lib, name), { force: true }) : writeFileSync(join(lib, name), text);
  return {
    home,
    nvrtcRuns: () => lines(join(lib, 'nvrtc.log')),
    nvccRuns: () => lines(join(bin, 'nvcc.log')).length,
    fail: (failure) => {
      tell('nvrtc.result', failure?.result.toString());
      tell('nvrtc.log.txt', failure?.messages);
      tell('nvrtc.only', failure?.only);
    },
    crash: () => tell('nvrtc.crashes', ''),
    nvccFails: (messages) => writeFileSync(join(bin, 'nvcc.fails'), messages),
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}

function compile(...args: readonly string[]): void {
  execFileSync('cc', ['-shared', '-fPIC', '-Wno-unused-result', ...args]);
}
