import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { probe } from '@nccl-ts/backend-webgpu';
import { backendFactory } from '../../src/backend.ts';
import type { Backend } from '@nccl-ts/transport';

/** Chromium's software driver, at the path of Debian's package. */
const softwareDriver = '/usr/lib/chromium/vk_swiftshader_icd.json';

// Vulkan reads them when it is loaded, so they are set before the first adapter is requested.
// Without the second it complains.
if (existsSync(softwareDriver)) process.env['VK_ICD_FILENAMES'] ??= softwareDriver;
process.env['XDG_RUNTIME_DIR'] ??= tmpdir();

/** A backend on which tests run examples. */
export interface TestedBackend {
  readonly name: 'sim' | 'webgpu';
  readonly backend: (ranks: number) => Backend;
  /** The reason why it is missing, or `undefined` if it is available. */
  readonly lacks: string | undefined;
}

/** The backends that any machine can have. NVIDIA GPUs are separate. */
export const testedBackends: readonly TestedBackend[] = [
  { name: 'sim', backend: backendFactory('sim'), lacks: undefined },
  { name: 'webgpu', backend: backendFactory('webgpu'), lacks: await lackOfWebgpu() },
];

/**
 * A suffix for the titles of tests that need a backend. It says why they are skipped, or is empty.
 */
export function unlessThere(lacks: string | undefined): string {
  return lacks === undefined ? '' : ` (skipped: ${lacks.split('. ')[0] ?? ''})`;
}

async function lackOfWebgpu(): Promise<string | undefined> {
  const { ok, items } = await probe();
  if (ok) return undefined;
  const reason = items.flatMap((item) => (item.ok === false ? [item.problem] : [])).join(' ');
  if (process.env['CI'] === 'true') throw new Error(reason);
  return reason;
}
