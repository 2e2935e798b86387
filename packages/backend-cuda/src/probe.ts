import { isNcclError, ncclVersionText } from '@nccl-ts/core';
import { thisHost, type DiscoveryHost } from './discovery/discovery-host.ts';
import { findNccl, type NcclInstallation } from './discovery/find-nccl.ts';
import { cudaVersionText, findToolkit, type Toolkit } from './discovery/find-toolkit.ts';
import { cuDeviceAttribute } from './ffi/cu-constants.ts';
import { loadCudaDriver, type CudaDriver } from './ffi/cuda-driver.ts';
import { loadKoffi, type Koffi } from './ffi/koffi.ts';
import { loadNccl } from './ffi/nccl-library.ts';
import { cacheDirectory } from './jit/cache.ts';
import { checkPeerAccess } from './runtime/cuda-device.ts';
import { checkDriver } from './runtime/platform.ts';
import { probeNvrtc } from './probe-nvrtc.ts';
import { resolveCudaOptions, type CudaOptions } from './cuda-options.ts';
import type { ProbeItem, ProbeName } from './probe-item.ts';

/** One GPU. */
export interface ProbedGpu {
  readonly ordinal: number;
  readonly name: string;
  /** A capability such as `9.0`. */
  readonly computeCapability: string;
  readonly bytes: number;
  readonly memSyncDomains: number;
  readonly multiprocessors: number;
}

/**
 * The requirements of the CUDA backend, and whether this machine meets them. It can be serialized
 * as JSON.
 */
export interface CudaReport {
  /** True if a world can be opened. */
  readonly ok: boolean;
  readonly items: readonly ProbeItem[];
  readonly gpus: readonly ProbedGpu[];
}

/**
 * Tests every requirement of a world on GPUs, without opening one. It never rejects: the report
 * lists the missing parts, the searched locations and the fixes. It allocates no memory on a GPU.
 */
export async function probe(options: CudaOptions = {}, host: DiscoveryHost = thisHost()): Promise<CudaReport> {
  const resolved = resolveCudaOptions(options);
  const items: ProbeItem[] = [];
  const look = <T>(name: ProbeName, find: () => T, text: (found: T) => string): T | undefined => {
    try {
      const found = find();
      items.push({ name, ok: true, found: text(found) });
      return found;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      items.push({ name, ok: false, code: isNcclError(error) ? error.code : undefined, problem });
      return undefined;
    }
  };
  const skip = (name: ProbeName, because: string): void => void items.push({ name, ok: undefined, because });

  const koffi = await loadKoffi().then(
    (loaded): Koffi | undefined =>
      look(
        'koffi',
        () => loaded,
        () => 'loaded',
      ),
    (error: unknown) => {
      look('koffi', () => rethrow(error), String);
      return undefined;
    },
  );
  let driver: CudaDriver | undefined;
  let gpus: readonly ProbedGpu[] = [];
  if (koffi === undefined) skip('driver', 'koffi is missing');
  else
    driver = look(
      'driver',
      () => loadCudaDriver(koffi),
      ({ version }) => `CUDA ${cudaVersionText(version)}`,
    );
  if (driver === undefined) {
    skip('GPUs', 'there is no driver');
  } else {
    const loaded = driver;
    gpus = look('GPUs', () => gpusOf(loaded), gpusText) ?? [];
    const ordinals = gpus.map(({ ordinal }) => ordinal);
    if (ordinals.length > 1)
      look(
        'peer access',
        () => checkPeerAccess(loaded, ordinals),
        () => 'between all GPUs',
      );
  }
  const toolkit = look('toolkit', () => findToolkit(host, resolved.toolkit), toolkitText);
  if (toolkit === undefined) skip('NVRTC', 'there is no toolkit');
  else items.push(await probeNvrtc(koffi !== undefined, toolkit, resolved, host));
  const nccl = look('NCCL', () => findNccl(host, resolved.nccl), ncclText);
  if (driver !== undefined && toolkit !== undefined) {
    const { version } = driver;
    look(
      'versions',
      () => checkDriver(version, toolkit.version, toolkit.home),
      () => "the driver supports the toolkit's output",
    );
  }
  if (koffi === undefined || driver === undefined || nccl === undefined) {
    skip('NCCL library', 'koffi, the driver or NCCL is missing');
  } else {
    look(
      'NCCL library',
      () => loadNccl(koffi, nccl),
      () => `loaded, version ${ncclVersionText(nccl.version)}`,
    );
  }
  items.push({ name: 'cache', ok: true, found: resolved.cacheDirectory ?? cacheDirectory(host) });
  const isFine = ({ name, ok: found }: ProbeItem): boolean =>
    found === true || (name === 'NVRTC' && found === undefined);
  const ok = items.every(isFine) && gpus.length > 0;
  return Object.freeze({ ok, items: Object.freeze(items), gpus: Object.freeze(gpus) });
}

function gpusOf(driver: CudaDriver): readonly ProbedGpu[] {
  return Array.from({ length: driver.deviceCount() }, (_, ordinal) => {
    const attribute = (id: number): number => driver.attribute(id, ordinal);
    const major = attribute(cuDeviceAttribute.computeCapabilityMajor);
    const minor = attribute(cuDeviceAttribute.computeCapabilityMinor);
    return {
      ordinal,
      name: driver.deviceName(ordinal),
      computeCapability: `${major}.${minor}`,
      bytes: driver.number('cuDeviceTotalMem_v2', ordinal),
      memSyncDomains: attribute(cuDeviceAttribute.memSyncDomainCount),
      multiprocessors: attribute(cuDeviceAttribute.multiprocessorCount),
    };
  });
}

function gpusText(gpus: readonly ProbedGpu[]): string {
  if (gpus.length === 0) return 'none';
  return gpus.map(({ ordinal, name, computeCapability }) => `${ordinal}: ${name}, ${computeCapability}`).join('; ');
}

function toolkitText({ home, version, from, nvcc }: Toolkit): string {
  return `CUDA ${cudaVersionText(version)} in ${home} (${from})${nvcc === undefined ? ', without nvcc' : ''}`;
}

function ncclText({ home, version, from, library }: NcclInstallation): string {
  return `${ncclVersionText(version)} in ${home} (${from}), ${library}`;
}

function rethrow(error: unknown): never {
  throw error;
}
