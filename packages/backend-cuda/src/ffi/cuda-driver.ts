import { NcclError } from '@nccl-ts/core';
import { cuResult } from './cu-constants.ts';
import { cudaFailure, type CudaResultText } from './cuda-failure.ts';
import { cudaSignatures, type CudaFunction } from './cuda-signatures.ts';
import { requestQueues } from './hardware-queues.ts';
import { integerResult, type Koffi, type NativeFunction, type NativeLibrary, type NativeValue } from './koffi.ts';
import { nativeString } from './native-memory.ts';

/**
 * The first driver with all features that this package uses: `cuLaunchKernelEx`, and the attributes
 * of memory synchronization domains.
 */
export const oldestDriver = 12000;

/**
 * The CUDA driver. `check` throws for every result except success, and `call` returns the result.
 * Functions are declared at their first call.
 *
 * It is not bound to a context. The caller must make the right one current first.
 */
export class CudaDriver {
  readonly koffi: Koffi;
  /** In the form of `CUDA_VERSION`: 13000 is 13.0. */
  readonly version: number;
  readonly #library: NativeLibrary;
  readonly #functions = new Map<CudaFunction, NativeFunction>();
  readonly #out = new BigUint64Array(1);
  readonly #out2 = new BigUint64Array(1);

  /** @throws NcclError `NCCLTS_CUDA_DRIVER_TOO_OLD`, or the error of `cuInit`. */
  constructor(koffi: Koffi, library: NativeLibrary) {
    this.koffi = koffi;
    this.#library = library;
    this.check('cuInit', 0);
    this.version = this.number('cuDriverGetVersion');
    if (this.version < oldestDriver) {
      throw new NcclError(
        'NCCLTS_CUDA_DRIVER_TOO_OLD',
        `The NVIDIA driver supports CUDA ${this.version / 1000}, and 12.0 or later is needed. Install a newer driver (525 or later).`,
        { details: { version: this.version } },
      );
    }
  }

  /** Returns the native function itself, for calls whose cost matters. */
  native(name: CudaFunction): NativeFunction {
    let native = this.#functions.get(name);
    if (native === undefined) {
      native = this.#library.func(name, 'int', cudaSignatures[name]);
      this.#functions.set(name, native);
    }
    return native;
  }

  call(name: CudaFunction, ...args: readonly NativeValue[]): number {
    return integerResult(this.native(name)(...args));
  }

  /** @throws NcclError with the driver's name and description of the result. */
  check(name: CudaFunction, ...args: readonly NativeValue[]): void {
    const result = this.call(name, ...args);
    if (result !== cuResult.success) throw this.failure(name, result);
  }

  failure(name: string, result: number, more = ''): NcclError {
    return cudaFailure(name, result, this.text(result), more);
  }

  text(result: number): CudaResultText {
    const string = (name: 'cuGetErrorName' | 'cuGetErrorString'): string => {
      this.#out[0] = 0n;
      this.call(name, result, this.#out);
      return nativeString(this.koffi, Number(this.#out[0]));
    };
    return { name: string('cuGetErrorName') || 'an unknown error', description: string('cuGetErrorString') };
  }

  /** Calls a function that writes a handle or an address through its first parameter. */
  handle(name: CudaFunction, ...args: readonly NativeValue[]): number {
    this.#out[0] = 0n;
    this.check(name, this.#out, ...args);
    return Number(this.#out[0]);
  }

  /** Calls a function that writes an int or a size through its first parameter. */
  number(name: CudaFunction, ...args: readonly NativeValue[]): number {
    return this.handle(name, ...args);
  }

  deviceCount(): number {
    return this.number('cuDeviceGetCount');
  }

  attribute(attribute: number, device: number): number {
    return this.number('cuDeviceGetAttribute', attribute, device);
  }

  deviceName(device: number): string {
    const bytes = new Uint8Array(256);
    this.check('cuDeviceGetName', bytes, bytes.length, device);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /** Returns the free and total bytes of the current context's device. */
  memory(): { readonly free: number; readonly total: number } {
    this.check('cuMemGetInfo_v2', this.#out, this.#out2);
    return { free: Number(this.#out[0]), total: Number(this.#out2[0]) };
  }

  loadModule(image: Uint8Array): number {
    return this.handle('cuModuleLoadData', image);
  }

  moduleFunction(module: number, name: string): number {
    return this.handle('cuModuleGetFunction', module, new TextEncoder().encode(`${name}\0`));
  }

  createStream(flags: number): number {
    return this.handle('cuStreamCreate', flags);
  }

  createEvent(flags: number): number {
    return this.handle('cuEventCreate', flags);
  }

  /**
   * Returns the milliseconds between two events that were recorded with timing and have completed.
   */
  elapsed(start: number, end: number): number {
    const ms = new Float32Array(1);
    this.check('cuEventElapsedTime', ms, start, end);
    return ms[0] ?? Number.NaN;
  }

  endCapture(stream: number): number {
    this.#out[0] = 0n;
    this.check('cuStreamEndCapture', stream, this.#out);
    return Number(this.#out[0]);
  }

  /** `CUgraphNodeType` */
  graphNodeType(node: number): number {
    const type = new Int32Array(1);
    this.check('cuGraphNodeGetType', node, type);
    return type[0] ?? -1;
  }

  /** Returns the handles of a graph's nodes. */
  graphNodes(graph: number): readonly number[] {
    this.#out[0] = 0n;
    this.check('cuGraphGetNodes', graph, null, this.#out);
    const nodes = new BigUint64Array(Number(this.#out[0]));
    if (nodes.length > 0) this.check('cuGraphGetNodes', graph, nodes, this.#out);
    return Array.from(nodes, Number);
  }
}

/**
 * Loads the driver, and requests the largest number of hardware queues.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_DRIVER`, `NCCLTS_CUDA_DRIVER_TOO_OLD`.
 */
export function loadCudaDriver(koffi: Koffi): CudaDriver {
  const name = process.platform === 'win32' ? 'nvcuda.dll' : 'libcuda.so.1';
  let library: NativeLibrary;
  try {
    library = koffi.load(name);
  } catch (error) {
    throw new NcclError(
      'NCCLTS_CUDA_NO_DRIVER',
      `The CUDA driver ${name} cannot be loaded: ${error instanceof Error ? error.message : String(error)}. This machine has ` +
        'no NVIDIA driver, or the loader does not find it: nvidia-smi tells; in a container, start it with the GPUs passed in.',
      { cause: error, details: { library: name } },
    );
  }
  requestQueues();
  return new CudaDriver(koffi, library);
}
