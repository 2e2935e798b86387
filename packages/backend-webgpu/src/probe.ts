import { isNcclError, type ErrorCode } from '@nccl-ts/core';
import { bindings } from './engine/pipelines.ts';
import { messageOf } from './errors.ts';
import { acquireDevice } from './gpu/acquire-device.ts';
import type { AcquiredDevice, AdapterInfo } from './gpu/acquired-device.ts';
import type { DeviceLimits } from './gpu/device-limits.ts';
import { currentGpuHost, findGpu, type GpuHost } from './gpu/find-gpu.ts';
import { resolveWebgpuOptions } from './resolve-webgpu-options.ts';
import type { WebgpuOptions } from './webgpu-options.ts';

/** One requirement of the WebGPU backend: the result, or the reason why it is missing. */
export type ProbeItem =
  | { readonly name: ProbeName; readonly ok: true; readonly found: string }
  | { readonly name: ProbeName; readonly ok: false; readonly code: ErrorCode | undefined; readonly problem: string }
  /** Not tested because an earlier part is missing. */
  | { readonly name: ProbeName; readonly ok: undefined; readonly because: string };

/**
 * WebGPU itself (in Node the package webgpu); an adapter, which is a GPU with its driver; a device
 * of it.
 */
export type ProbeName = 'WebGPU' | 'adapter' | 'device';

/** The GPU that worlds would run on. */
export interface ProbedGpu {
  readonly adapterInfo: AdapterInfo;
  /** True if the GPU is emulated on the CPU, so that times are meaningless. */
  readonly software: boolean;
  readonly limits: DeviceLimits;
  /** The number of callers' GPUBuffers that a world can have adopted at the same time. */
  readonly adoptableBuffers: number;
  /** The features of the device that a world gets. */
  readonly features: readonly string[];
}

/** The requirements of the WebGPU backend on this host. It can be serialized as JSON. */
export interface WebgpuReport {
  /** True if a world can be opened. */
  readonly ok: boolean;
  readonly items: readonly ProbeItem[];
  readonly gpu: ProbedGpu | undefined;
}

/** The GPU to test; see `WebgpuOptions`. */
export type ProbeOptions = Pick<WebgpuOptions, 'adapter' | 'powerPreference'>;

/**
 * Tests every requirement of a world on WebGPU, without opening one. It requests a device and
 * releases it. The report lists the missing parts and their fixes.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options; nothing else.
 */
export async function probe(options: ProbeOptions = {}): Promise<WebgpuReport> {
  return probeHost(options, currentGpuHost());
}

/** @internal `probe` of another host. */
export async function probeHost(options: ProbeOptions, host: GpuHost): Promise<WebgpuReport> {
  const choice = resolveWebgpuOptions({ ...options, ranks: 1 });
  let gpu: GPU;
  try {
    gpu = await findGpu(choice.adapter, host);
  } catch (error) {
    const because = 'there is no WebGPU';
    return report([missing('WebGPU', error), skipped('adapter', because), skipped('device', because)]);
  }
  const entry = found('WebGPU', gpu === host.gpu ? 'navigator.gpu' : 'the package webgpu');
  let device: AcquiredDevice;
  try {
    device = await acquireDevice(choice, host);
  } catch (error) {
    if (!isNcclError(error, 'NCCLTS_WEBGPU_NO_DEVICE')) {
      return report([entry, missing('adapter', error), skipped('device', 'there is no adapter')]);
    }
    return report([entry, found('adapter', 'there is one'), missing('device', error)]);
  }
  const { adapterInfo, software, limits, features } = device;
  device.dispose();
  const probed = Object.freeze({
    adapterInfo,
    software,
    limits,
    adoptableBuffers: Math.max(0, limits.maxStorageBuffersPerShaderStage - bindings.segments),
    features: Object.freeze([...features].sort()),
  });
  return report(
    [entry, found('adapter', adapterText(probed)), found('device', 'with all limits of the adapter')],
    probed,
  );
}

function report(items: readonly ProbeItem[], gpu?: ProbedGpu): WebgpuReport {
  return Object.freeze({ ok: gpu !== undefined, items: Object.freeze(items), gpu });
}

function found(name: ProbeName, text: string): ProbeItem {
  return { name, ok: true, found: text };
}

function missing(name: ProbeName, error: unknown): ProbeItem {
  return { name, ok: false, code: isNcclError(error) ? error.code : undefined, problem: messageOf(error) };
}

function skipped(name: ProbeName, because: string): ProbeItem {
  return { name, ok: undefined, because };
}

function adapterText({ adapterInfo, software }: ProbedGpu): string {
  const { vendor, architecture, description } = adapterInfo;
  const names = [vendor, architecture, description].filter((name) => name !== '');
  const name = names.length === 0 ? 'an adapter without a name' : names.join(', ');
  return software ? `${name}: a software renderer on the CPU, not a GPU` : name;
}
