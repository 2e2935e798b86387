import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Returns the folder with the stand-in headers: `nccl.h`, `nccl_device.h`, `nvshmem.h`,
 * `nvshmemx.h`.
 */
export function includeFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@nccl-ts/harness/package.json')), 'include');
}
