import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * The path at which Debian's Chromium has the description of SwiftShader, a Vulkan driver that
 * computes on the CPU.
 */
const debianSwiftShader = '/usr/lib/chromium/vk_swiftshader_icd.json';

/**
 * Selects the software driver if none is chosen. Vulkan reads the setting when it is loaded, before
 * the first adapter is requested.
 */
export function useSoftwareVulkan(): void {
  if (existsSync(debianSwiftShader)) process.env['VK_ICD_FILENAMES'] ??= debianSwiftShader;
  // Vulkan complains without a folder for sockets, which is not used here.
  process.env['XDG_RUNTIME_DIR'] ??= tmpdir();
}
