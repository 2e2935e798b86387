import { expectInteger, NcclError, reading, showValue, takeOptions } from '@nccl-ts/core';
import { variable, type DiscoveryHost } from './discovery/discovery-host.ts';
import type { CompilerChoice } from './jit/device-compiler.ts';
import { COMPILE_MILLISECONDS } from './jit/nvcc.ts';

/** The GPUs, and the software for them. */
export interface CudaOptions {
  /**
   * The GPUs of this process, by CUDA's numbers (after `CUDA_VISIBLE_DEVICES`). Rank i of the
   * process runs on the i-th. If the list repeats a GPU, several ranks share it, which requires
   * NCCL 2.30.3 (see the README).
   * @default 'all'. A process with one rank of a larger world uses one GPU, by `LOCAL_RANK`
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
   * The compiler for kernels. `nvrtc` is the toolkit's library. `nvcc` is its command, which takes
   * several times as long. `auto` uses NVRTC if the toolkit has it, and nvcc if it is missing or
   * rejects the text.
   * @default `NCCLTS_COMPILER`, else `auto`
   */
  readonly compiler?: 'auto' | 'nvcc' | 'nvrtc';
  /**
   * The folder for compiled kernels.
   * @default `NCCLTS_CACHE_DIR`, else `nccl-ts` in `XDG_CACHE_HOME` or `~/.cache`
   */
  readonly cacheDirectory?: string;
  /**
   * True if the waits of all kernels also poll a word of host memory, so that `abort` ends them.
   * This costs an occasional load of host memory while a wait spins.
   * @default false
   */
  readonly abortable?: boolean;
  /**
   * The time limit in milliseconds for launches on a stream. After it, `synchronize` rejects with
   * `NCCL_TIMEOUT`, and abortable kernels end.
   * @default no limit
   */
  readonly launchTimeout?: number;
  /**
   * The time limit in milliseconds for nvcc to compile a kernel. After it, nvcc and its child
   * processes are stopped, and the launch rejects with `NCCL_TIMEOUT`.
   * @default 300000
   */
  readonly compileTimeout?: number;
  /**
   * The bytes of host memory for lines that the kernels of a GPU have printed and the host has not
   * read, rounded up to a power of two. A line takes 24 bytes, and 8 for each value. Lines for
   * which there is no room are dropped and counted.
   * @default 1 MiB for each GPU, allocated when a kernel that prints is loaded
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

/** Returns the smallest power of two that is not less than `least`. */
function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}

/**
 * Returns the compiler, from the option and the environment.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT`
 */
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
