import { acquireDevice, type AcquiredDevice } from '@nccl-ts/backend-webgpu/devices';
import { useSoftwareVulkan } from './software-vulkan.ts';

useSoftwareVulkan();

/** The reason why no device is available for tests; `undefined` where there is one. */
export const noDevice: string | undefined = await probe();

/** For the titles of tests that need a device: the reason why they are skipped, or nothing. */
export const unlessDevice: string = noDevice === undefined ? '' : ` (skipped: ${noDevice.split('. ')[0] ?? ''})`;

/** Opens a device for one test. */
export async function openDevice(): Promise<AcquiredDevice> {
  return acquireDevice({ device: undefined, adapter: undefined, powerPreference: undefined });
}

async function probe(): Promise<string | undefined> {
  try {
    (await openDevice()).dispose();
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
