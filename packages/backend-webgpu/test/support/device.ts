import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { acquireDevice } from '../../src/gpu/acquire-device.ts';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';

/** Chromium's software driver, where Debian's package puts it. */
const softwareDriver = '/usr/lib/chromium/vk_swiftshader_icd.json';

// Vulkan reads them when it is loaded, so before the first adapter is asked for. Without the second it complains.
if (existsSync(softwareDriver)) process.env['VK_ICD_FILENAMES'] ??= softwareDriver;
process.env['XDG_RUNTIME_DIR'] ??= tmpdir();

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
