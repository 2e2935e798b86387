import { NcclError } from '@nccl-ts/core';
import { findNccl } from '../discovery/find-nccl.ts';
import { cudaVersionText, findToolkit } from '../discovery/find-toolkit.ts';
import type { DiscoveryHost } from '../discovery/discovery-host.ts';
import { loadCudaDriver, type CudaDriver } from '../ffi/cuda-driver.ts';
import { loadKoffi } from '../ffi/koffi.ts';
import { loadNccl, type NcclLibrary } from '../ffi/nccl-library.ts';
import { CompileCache, cacheDirectory } from '../jit/cache.ts';
import type { Compiler } from '../jit/compile-cubin.ts';
import type { ResolvedCudaOptions } from '../cuda-options.ts';

/** The libraries on which a world runs, found and loaded. */
export interface Platform {
  readonly driver: CudaDriver;
  readonly nccl: NcclLibrary;
  readonly compiler: Compiler;
}

const platforms = new Map<string, Promise<Platform>>();

/**
 * Finds and loads the software for a world, once for each process and location. Nothing is loaded
 * twice or unloaded, because a driver cannot be.
 *
 * @throws NcclError like `findToolkit`, `findNccl`, `loadKoffi`, `loadCudaDriver` and `loadNccl`,
 *   and `NCCLTS_CUDA_DRIVER_TOO_OLD` if the driver does not support the toolkit's output.
 */
export async function openPlatform(options: ResolvedCudaOptions, host: DiscoveryHost): Promise<Platform> {
  const { nccl, toolkit, cacheDirectory: directory } = options;
  const { CUDA_HOME, CUDA_PATH, NCCL_HOME, NCCLTS_CACHE_DIR } = host.env;
  const key = JSON.stringify([nccl, toolkit, directory, CUDA_HOME, CUDA_PATH, NCCL_HOME, NCCLTS_CACHE_DIR]);
  let platform = platforms.get(key);
  if (platform === undefined) {
    platform = assemble(options, host);
    platforms.set(key, platform);
    // A missing file may exist later.
    platform.catch(() => platforms.delete(key));
  }
  return platform;
}

async function assemble(options: ResolvedCudaOptions, host: DiscoveryHost): Promise<Platform> {
  const koffi = await loadKoffi();
  const driver = loadCudaDriver(koffi);
  const toolkit = findToolkit(host, options.toolkit);
  checkDriver(driver.version, toolkit.version, toolkit.home);
  const installation = findNccl(host, options.nccl);
  const cache = new CompileCache(options.cacheDirectory ?? cacheDirectory(host));
  return {
    driver,
    nccl: loadNccl(koffi, installation),
    compiler: { toolkit, nccl: installation, cache },
  };
}

/**
 * Checks that the driver supports the toolkit's output. A driver supports that of any toolkit of
 * its own major version.
 *
 * @throws NcclError `NCCLTS_CUDA_DRIVER_TOO_OLD`.
 */
export function checkDriver(driver: number, toolkit: number, home: string): void {
  if (Math.floor(driver / 1000) >= Math.floor(toolkit / 1000)) return;
  throw new NcclError(
    'NCCLTS_CUDA_DRIVER_TOO_OLD',
    `The NVIDIA driver supports CUDA ${cudaVersionText(driver)}, but the toolkit in ${home} is CUDA ${cudaVersionText(toolkit)}: its output ` +
      'does not run there. Install a newer driver, or name an older toolkit with CUDA_HOME.',
    { details: { driver, toolkit } },
  );
}
