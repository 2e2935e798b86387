import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Where Debian's Chromium has the description of SwiftShader, a Vulkan driver that computes on the
 * CPU.
 */
const debianSwiftShader = '/usr/lib/chromium/vk_swiftshader_icd.json';

/**
 * Takes the software driver where none is chosen. Vulkan reads it when it is loaded: before the
 * first adapter is asked for.
 */
export function useSoftwareVulkan(): void {
  if (existsSync(debianSwiftShader)) process.env['VK_ICD_FILENAMES'] ??= debianSwiftShader;
  // It complains without a folder for sockets, which nobody uses here.
  process.env['XDG_RUNTIME_DIR'] ??= tmpdir();
}
