import { NcclError } from '@nccl-ts/core';
import { messageOf } from '../errors.ts';
import { AcquiredDevice } from './acquired-device.ts';
import { deviceLimitsOf } from './device-limits.ts';
import { currentGpuHost, findGpu, type GpuHost } from './find-gpu.ts';

/** Requested if the adapter has them; `AcquiredDevice.features` lists the present ones. */
const wantedFeatures = ['timestamp-query', 'subgroups', 'shader-f16'] as const satisfies readonly GPUFeatureName[];

/** One device: the caller's, or the options for requesting one. */
export interface DeviceChoice {
  readonly device: GPUDevice | undefined;
  readonly adapter: string | undefined;
  readonly powerPreference: 'low-power' | 'high-performance' | undefined;
}

/**
 * Returns the device to run on: the caller's, or a new one with every limit of its adapter.
 *
 * @throws NcclError `NCCLTS_WEBGPU_UNAVAILABLE`, `NCCLTS_WEBGPU_MISSING`,
 *   `NCCLTS_WEBGPU_NO_ADAPTER`, `NCCLTS_WEBGPU_NO_DEVICE`, `NCCLTS_WEBGPU_DEVICE_LOST` (the
 *   caller's device), `NCCLTS_NOT_SUPPORTED`.
 */
export async function acquireDevice(options: DeviceChoice, host: GpuHost = currentGpuHost()): Promise<AcquiredDevice> {
  const { device } = options;
  if (device === undefined) return ownDevice(options, host);
  const acquired = new AcquiredDevice(device, false, device.adapterInfo);
  // The promise of a device that is already lost settles immediately.
  await Promise.race([acquired.lost, Promise.resolve()]);
  if (acquired.lossError === undefined) return acquired;
  acquired.dispose();
  throw acquired.lossError;
}

async function ownDevice({ adapter: name, powerPreference }: DeviceChoice, host: GpuHost): Promise<AcquiredDevice> {
  const gpu = await findGpu(name, host);
  // One adapter for each device, because an adapter provides only one.
  const adapter = await requestAdapter(gpu, powerPreference, host);
  try {
    const device = await adapter.requestDevice({
      label: 'nccl-ts',
      requiredLimits: deviceLimitsOf(adapter.limits),
      requiredFeatures: wantedFeatures.filter((feature) => adapter.features.has(feature)),
    });
    return new AcquiredDevice(device, true, adapter.info);
  } catch (error) {
    throw new NcclError(
      'NCCLTS_WEBGPU_NO_DEVICE',
      `The GPU ${adapter.info.vendor} ${adapter.info.architecture} gives no device: ${messageOf(error)}. Closing other ` +
        'programs or pages that use it may help; so may another GPU.',
      { cause: error },
    );
  }
}

async function requestAdapter(
  gpu: GPU,
  powerPreference: DeviceChoice['powerPreference'],
  host: GpuHost,
): Promise<GPUAdapter> {
  let failure: unknown;
  try {
    const adapter = await gpu.requestAdapter(powerPreference === undefined ? {} : { powerPreference });
    if (adapter !== null) return adapter;
  } catch (error) {
    failure = error;
  }
  const why = failure === undefined ? '' : `: ${messageOf(failure)}`;
  throw new NcclError(
    'NCCLTS_WEBGPU_NO_ADAPTER',
    host.isNode
      ? `WebGPU finds no GPU${why}. Without one, tests can use a software Vulkan driver: set VK_ICD_FILENAMES to the ` +
          'JSON file of SwiftShader (Chromium has it as vk_swiftshader_icd.json) or of lavapipe from Mesa 25 on, before ' +
          'the process starts.'
      : `WebGPU finds no GPU${why}. The browser may have switched the GPU off (chrome://gpu shows the reason), or run without ` +
          'one; --enable-unsafe-webgpu makes Chromium take its software driver.',
    failure === undefined ? {} : { cause: failure },
  );
}
