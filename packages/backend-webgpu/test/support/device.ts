import { acquireDevice } from '../../src/gpu/acquire-device.ts';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { useSoftwareVulkan } from './software-vulkan.ts';

useSoftwareVulkan();

/** Why there is no device to test on; `undefined` where there is one. */
export const noDevice: string | undefined = await probe();

/** A device of the test's own. */
export async function openDevice(): Promise<AcquiredDevice> {
  return acquireDevice({ device: undefined, adapter: undefined, powerPreference: undefined });
}

async function probe(): Promise<string | undefined> {
  try {
    (await openDevice()).dispose();
    return undefined;
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`skipped: ${reason}\n`);
    return reason;
  }
}
