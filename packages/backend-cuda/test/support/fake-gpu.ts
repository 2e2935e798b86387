import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';
import { cuda, type CudaBackend, type CudaOptions } from '@nccl-ts/backend-cuda';

const fixtures = join(import.meta.dirname, '../fixtures');

/** A launch as the fake driver received it. */
export interface FakeLaunch {
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly sharedBytes: number;
  readonly attributes: readonly { readonly id: number; readonly word: number }[];
  readonly stream: number;
  readonly context: number;
  readonly arguments: Uint8Array;
}

/**
 * A driver and an NCCL that are real shared libraries but have no GPU. They record calls, but
 * kernels compute nothing.
 */
export interface FakeGpu {
  /** The directory of NCCL. */
  readonly nccl: string;
  /** Returns a backend whose kernels the fake nvcc compiles, on every machine. */
  backend(options?: CudaOptions): CudaBackend;
  /** Returns the number of times that the fake nvcc was started. */
  compilations(): number;
  /**
   * Makes kernels run from now on, on threads of the host. They may only compute with 32 and 64
   * bits, and must not synchronize.
   */
  runKernels(): void;
  /** Sets the errors with which nvcc fails from now on; undefined for none. */
  nvccFails(messages: string | undefined): void;
  /**
   * Returns the address of memory that the program got from CUDA itself. It may be called at most
   * eight times.
   */
  foreign(device: number, bytes: number): bigint;
  configure(devices: number, looksUntilDone: number): void;
  /** Makes work hang until the word at that address is not 0. */
  hang(on: boolean, word?: number): void;
  /** Sets the result of every query of an event. */
  fault(code: number): void;
  lastLaunch(): FakeLaunch;
  launches(): number;
  /**
   * Returns the work that streams have received since the last call, such as `launch 1003 7f10`: a
   * launch, graph, record or wait with its stream, then the kernel, graph or event.
   */
  journal(): readonly string[];
  /** Returns the numbers of existing objects of the driver and of NCCL. */
  live(): { readonly cuda: number; readonly nccl: number };
  asyncError(code: number): void;
  /**
   * Sets the properties of NCCL's network, as NCCL's numbers: to all ranks, and along the rails.
   */
  network(ginType: number, railedGinType: number): void;
  failNext(code: number): void;
  /** Returns the bytes of the requirements that NCCL received last. */
  requirements(): DataView;
  dispose(): void;
}

/** `struct fake_launch` */
const launchBytes = 28 + 4 + 4 * 8 + 32 + 1024 + 8;

/** The reason why there can be no fake GPU here; `undefined` if there can be one. */
export const noFakeGpu: string | undefined =
  process.platform === 'linux' && hasCompiler() ? undefined : 'there is no C compiler on Linux';

/** For the titles of tests that need a fake GPU: the reason why they are skipped, or nothing. */
export const unlessFakeGpu: string = noFakeGpu === undefined ? '' : ` (skipped: ${noFakeGpu})`;

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export function createFakeGpu(): FakeGpu {
  const root = mkdtempSync(join(tmpdir(), 'nccl-ts-fake-'));
  const toolkit = join(root, 'cuda');
  const nccl = join(root, 'nccl');
  for (const directory of [join(toolkit, 'bin'), join(toolkit, 'include'), join(nccl, 'lib')])
    mkdirSync(directory, { recursive: true });
  symlinkSync(join(fixtures, 'nccl/include'), join(nccl, 'include'));
  writeFileSync(join(toolkit, 'include/cuda.h'), '#define CUDA_VERSION 13000\n');
  copyFileSync(join(fixtures, 'fake-gpu/nvcc.sh'), join(toolkit, 'bin/nvcc'));
  chmodSync(join(toolkit, 'bin/nvcc'), 0o755);
  copyFileSync(join(fixtures, 'fake-gpu/layout.ptx'), join(toolkit, 'bin/layout.ptx'));
  const driverPath = join(root, 'libcuda.so.1');
  const ncclPath = join(nccl, 'lib/libnccl.so.2');
  compile('cuda.c', driverPath);
  compile('nccl.c', ncclPath);
  // Later loads of libcuda.so.1 by name get the library that is already loaded.
  const driver = koffi.load(driverPath);
  const library = koffi.load(ncclPath);
  const log = join(toolkit, 'bin/nvcc.log');
  const fails = join(toolkit, 'bin/nvcc.fails');
  const fake = {
    configure: driver.func('void fake_configure(int, int)'),
    foreign: driver.func('uint64_t fake_foreign(int, uint64_t)'),
    hang: driver.func('void fake_hang(int)'),
    watch: driver.func('void fake_watch(uint64_t)'),
    fault: driver.func('void fake_fault(int)'),
    lastLaunch: driver.func('void fake_last_launch(void *)'),
    launches: driver.func('uint64_t fake_launches()'),
    journal: driver.func('uint64_t fake_journal(void *, uint64_t)'),
    live: driver.func('int64_t fake_live()'),
    ncclLive: library.func('int64_t fake_nccl_live()'),
    asyncError: library.func('void fake_nccl_async_error(int)'),
    network: library.func('void fake_nccl_network(int, int)'),
    failNext: library.func('void fake_nccl_fail_next(int)'),
    requirements: library.func('void fake_nccl_requirements(void *)'),
  };
  return {
    nccl,
    backend: (options = {}) =>
      cuda({ toolkit, nccl, compiler: 'nvcc', cacheDirectory: join(root, 'cache'), ...options }),
    compilations: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0),
    runKernels: () => copyFileSync(join(fixtures, 'fake-gpu/kernel-on-host.h'), join(toolkit, 'bin/kernel-on-host.h')),
    nvccFails: (messages) => (messages === undefined ? rmSync(fails, { force: true }) : writeFileSync(fails, messages)),
    foreign: (device, bytes) => BigInt(Number(fake.foreign(device, bytes))),
    configure: (devices, looks) => void fake.configure(devices, looks),
    hang: (on, word = 0) => {
      fake.watch(word);
      fake.hang(on ? 1 : 0);
    },
    fault: (code) => void fake.fault(code),
    lastLaunch: () => {
      const bytes = new Uint8Array(launchBytes);
      fake.lastLaunch(bytes);
      return readLaunch(bytes);
    },
    journal: () => {
      const bytes = new Uint8Array(1 << 16);
      const length = Number(fake.journal(bytes, bytes.length));
      return new TextDecoder().decode(bytes.subarray(0, length)).split('\n').slice(0, -1);
    },
    launches: () => Number(fake.launches()),
    live: () => ({ cuda: Number(fake.live()), nccl: Number(fake.ncclLive()) }),
    asyncError: (code) => void fake.asyncError(code),
    network: (ginType, railedGinType) => void fake.network(ginType, railedGinType),
    failNext: (code) => void fake.failNext(code),
    requirements: () => {
      const bytes = new Uint8Array(96);
      fake.requirements(bytes);
      return new DataView(bytes.buffer);
    },
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

function compile(source: string, output: string): void {
  const path = join(fixtures, 'fake-gpu', source);
  const name = output.slice(output.lastIndexOf('/') + 1);
  execFileSync('cc', [
    '-shared',
    '-fPIC',
    `-Wl,-soname,${name}`,
    '-I',
    join(fixtures, 'nccl/include'),
    '-o',
    output,
    path,
  ]);
}

function readLaunch(bytes: Uint8Array): FakeLaunch {
  const view = new DataView(bytes.buffer);
  const u32 = (offset: number): number => view.getUint32(offset, true);
  const u64 = (offset: number): number => Number(view.getBigUint64(offset, true));
  const count = u32(28);
  return {
    grid: [u32(0), u32(4), u32(8)],
    block: [u32(12), u32(16), u32(20)],
    sharedBytes: u32(24),
    attributes: Array.from({ length: count }, (_, i) => ({ id: u32(64 + 4 * i), word: u32(80 + 4 * i) })),
    stream: u64(32),
    context: u64(48),
    arguments: bytes.slice(96, 96 + u64(56)),
  };
}
