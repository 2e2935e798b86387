import type { ValidatedModule } from '@nccl-ts/ir';
import { debugLog, NcclError } from '@nccl-ts/core';
import type { CudaSource, EmitCudaOptions } from '../cuda-source.ts';
import { cuResult } from '../ffi/cu-constants.ts';
import type { CudaDriver } from '../ffi/cuda-driver.ts';
import { structLayout, type NcclLayout } from '../ffi/nccl-layout.ts';
import { compileCubin } from '../jit/compile-cubin.ts';
import { layoutArguments, type ArgumentLayout } from './argument-layout.ts';
import type { CudaDevice } from './cuda-device.ts';
import { CudaExecutable } from './cuda-executable.ts';
import { LaunchSlot } from './launch-slot.ts';
import type { Platform } from './platform.ts';

/** Converts a kernel to CUDA C++. */
export type EmitCuda = (module: ValidatedModule, options: EmitCudaOptions) => CudaSource;

/** A kernel on the GPUs, with the function that releases it. */
export interface LoadedKernel {
  readonly executable: CudaExecutable;
  unload(): void;
}

export interface LoadOptions {
  readonly platform: Platform;
  readonly layout: NcclLayout;
  readonly devices: readonly CudaDevice[];
  readonly emit: EmitCuda;
  /** True if `emit` must return a kernel whose waits poll the host. */
  readonly abortable: boolean;
  /** The size of the ring for the kernel's printed lines. */
  readonly printBytes: number;
}

/**
 * Emits, compiles and loads a kernel on all GPUs of the process. Everything is loaded when it
 * returns. A launch that still had to load the kernel would wait for other kernels, which may wait
 * for that launch.
 */
export async function loadKernel(module: ValidatedModule, options: LoadOptions): Promise<LoadedKernel> {
  const { platform, layout, devices, emit, abortable, printBytes } = options;
  const { compiler } = platform;
  const source = emit(module, { ncclVersion: compiler.nccl.version, abortable });
  const cubins = new Map<string, Uint8Array>();
  for (const arch of new Set(devices.map((device) => device.arch))) {
    const { bytes, cached, milliseconds } = await compileCubin(compiler, source, module, arch);
    const how = cached ? 'from the cache' : 'compiled';
    debugLog(
      'cuda',
      () => `kernel ${module.name} for ${arch}: ${how} in ${milliseconds.toFixed(1)} ms, ${bytes.length} bytes`,
    );
    cubins.set(arch, bytes);
  }
  const args = layoutArguments(source.params, structLayout(layout, 'devComm'));
  const types = module.params.map(({ type }) => type);
  const sites = source.params.flatMap((param) => (param.kind === 'printer' ? param.sites : []));
  if (args.printerAt !== undefined) await Promise.all(devices.map(async (device) => device.openPrintRing(printBytes)));
  const modules: (readonly [CudaDevice, number])[] = [];
  const slots = new Map<number, LaunchSlot>();
  const unload = (): void => {
    for (const slot of slots.values()) slot.dispose();
    slots.clear();
    for (const [device, handle] of modules.splice(0)) {
      device.makeCurrent();
      device.driver.check('cuModuleUnload', handle);
    }
  };
  try {
    for (const device of devices) {
      const { driver, rank, arch } = device;
      device.makeCurrent();
      const handle = driver.loadModule(cubins.get(arch) ?? new Uint8Array());
      modules.push([device, handle]);
      const fn = driver.moduleFunction(handle, source.entry);
      if (driver.version >= 12040) {
        driver.check('cuFuncLoad', fn);
        checkArguments(driver, fn, args, module.name);
      }
      const ring = args.printerAt === undefined ? undefined : device.printRing;
      const printer = ring === undefined ? undefined : { ring, firstSite: ring.addSites(sites) };
      slots.set(rank, new LaunchSlot({ device, fn, types, layout: args, printer }));
    }
  } catch (error) {
    unload();
    throw error;
  }
  return { executable: new CudaExecutable(module, source, args, slots), unload };
}

/** Compares the compiler's layout of the parameters with that of launches. */
function checkArguments(driver: CudaDriver, fn: number, layout: ArgumentLayout, kernel: string): void {
  const [offset, bytes] = [new BigUint64Array(1), new BigUint64Array(1)];
  for (const [i, expected] of layout.offsets.entries()) {
    const result = driver.call('cuFuncGetParamInfo', fn, i, offset, bytes);
    if (result !== cuResult.success || Number(offset[0]) === expected) continue;
    throw new NcclError(
      'NCCL_INTERNAL_ERROR',
      `Kernel '${kernel}': parameter ${i} lies at byte ${offset[0]} of its arguments; ${expected} was expected.`,
    );
  }
}
