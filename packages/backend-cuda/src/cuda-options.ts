import { expectInteger, NcclError, reading, showValue, takeOptions } from '@nccl-ts/core';
import { variable, type DiscoveryHost } from './discovery/discovery-host.ts';
import type { CompilerChoice } from './jit/device-compiler.ts';
import { COMPILE_MILLISECONDS } from './jit/nvcc.ts';

/** The GPUs, and the software for them. */
export interface CudaOptions {
  /**
   * The GPUs of this process, by CUDA's numbers (so after `CUDA_VISIBLE_DEVICES`); rank i of the
   * process runs on the i-th. If a GPU is named several times, as many ranks share it, which
   * requires NCCL 2.30.3: see the README.
   * @default 'all'; one, by `LOCAL_RANK`, if a process holds one rank of a larger world
   */
  readonly devices?: 'all' | readonly number[];
  /**
   * The number of ranks of this process. If there are more ranks than GPUs, the assignment starts
   * again at the first GPU.
   * @default one for each GPU
   */
  readonly ranks?: number;
  /**
   * The directory with NCCL's `include` and `lib`.
   * @default `NCCL_HOME`, else the result of a search: see the README
   */
  readonly nccl?: string;
  /**
   * The directory with the CUDA toolkit.
   * @default `CUDA_HOME`, else the result of a search: see the README
   */
  readonly toolkit?: string;
  /**
   * The compiler of kernels. `nvrtc` is the toolkit's library, `nvcc` its command, which takes
   * several times as long for a kernel. `auto` is NVRTC if the toolkit has it, and nvcc for text
   * that NVRTC rejects or if it is missing.
   * @default `NCCLTS_COMPILER`, else `auto`
   */
  readonly compiler?: 'auto' | 'nvcc' | 'nvrtc';
  /**
   * The folder for compiled kernels.
   * @default `NCCLTS_CACHE_DIR`, else `nccl-ts` in `XDG_CACHE_HOME` or `~/.cache`
   */
  readonly cacheDirectory?: string;
  /**
   * True if the waits of all kernels also watch a word of the host, so that `abort` ends them. It
   * costs a load of host memory now and then while a wait spins.
   * @default false
   */
  readonly abortable?: boolean;
  /**
   * The time limit in milliseconds for launches on a stream: after it `synchronize` rejects with
   * `NCCL_TIMEOUT`, and abortable kernels end.
   * @default no limit
   */
  readonly launchTimeout?: number;
  /**
   * The time limit of nvcc for a kernel, in milliseconds. After it nvcc and its child processes are
   * stopped, and the launch rejects with `NCCL_TIMEOUT`.
   * @default 300000
   */
  readonly compileTimeout?: number;
  /**
   * Bytes of host memory for the printed lines of a GPU's kernels until they are read, rounded up
   * to a power of two. A line takes 24 bytes and 8 for each value. Lines without room are dropped,
   * and counted.
   * @default 1 MiB for each GPU, once a kernel that prints is loaded
   */
  readonly printBytes?: number;
}

/** `CudaOptions`, checked. */
export interface ResolvedCudaOptions {
  readonly devices: 'all' | readonly number[] | undefined;
  readonly ranks: number | undefined;
  readonly nccl: string | undefined;
  readonly toolkit: string | undefined;
  readonly compiler: CompilerChoice | undefined;
  readonly cacheDirectory: string | undefined;
  readonly abortable: boolean;
  readonly launchTimeout: number;
  readonly printBytes: number;
  readonly compileTimeout: number;
}

const known: Readonly<Record<keyof CudaOptions, true>> = {
  devices: true,
  ranks: true,
  nccl: true,
  toolkit: true,
  compiler: true,
  cacheDirectory: true,
  abortable: true,
  launchTimeout: true,
  printBytes: true,
  compileTimeout: true,
};

const defaultPrintBytes = 1 << 20;

/** @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function resolveCudaOptions(given: CudaOptions): ResolvedCudaOptions {
  return reading('cuda()', () => resolve(takeOptions('cuda()', given, known)));
}

function resolve(options: CudaOptions): ResolvedCudaOptions {
  const { abortable = false } = options;
  if (typeof abortable !== 'boolean') throw invalid(`abortable must be true or false; given ${showValue(abortable)}.`);
  return Object.freeze({
    devices: devicesOf(options.devices),
    ranks: options.ranks === undefined ? undefined : expectInteger('ranks', options.ranks, 1),
    nccl: directory('nccl', options.nccl),
    toolkit: directory('toolkit', options.toolkit),
    compiler: options.compiler === undefined ? undefined : compilerChoice('compiler', options.compiler),
    cacheDirectory: directory('cacheDirectory', options.cacheDirectory),
    abortable,
    launchTimeout:
      options.launchTimeout === undefined
        ? Number.POSITIVE_INFINITY
        : expectInteger('launchTimeout', options.launchTimeout, 1),
    compileTimeout: expectInteger('compileTimeout', options.compileTimeout ?? COMPILE_MILLISECONDS, 1, 2 ** 31 - 1),
    printBytes: powerOfTwo(expectInteger('printBytes', options.printBytes ?? defaultPrintBytes, 64, 1 << 30)),
  });
}

function devicesOf(devices: unknown): 'all' | readonly number[] | undefined {
  if (devices === undefined || devices === 'all') return devices;
  if (!Array.isArray(devices) || devices.length === 0) {
    throw invalid(`devices must be 'all' or an array of at least one number; given ${showValue(devices)}.`);
  }
  const given: readonly unknown[] = devices;
  return Object.freeze(given.map((device, i) => expectInteger(`devices[${i}]`, device, 0, 65535)));
}

/** The least one that is not less. */
function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

/** The compiler, from the option and the environment. @throws NcclError `NCCL_INVALID_ARGUMENT` */
export function chosenCompiler({ compiler }: ResolvedCudaOptions, host: DiscoveryHost): CompilerChoice {
  const named = variable(host, 'NCCLTS_COMPILER');
  return compiler ?? (named === undefined ? 'auto' : compilerChoice('NCCLTS_COMPILER', named));
}

function compilerChoice(name: string, value: unknown): CompilerChoice {
  if (value === 'auto' || value === 'nvcc' || value === 'nvrtc') return value;
  throw invalid(`${name} must be 'auto', 'nvcc' or 'nvrtc'; given ${showValue(value)}.`);
}

function directory(name: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalid(`${name} must be a path; given ${showValue(value)}.`);
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
