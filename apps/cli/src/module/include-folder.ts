import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The stand-in headers. */
export const standInHeaders: readonly string[] = ['nccl.h', 'nccl_device.h', 'nvshmem.h', 'nvshmemx.h'];

/**
 * The flags of a compiler that finds the stand-in headers before all others, which may be NCCL's.
 */
export function withStandIns(flags: readonly string[]): readonly string[] {
  return ['-I', includeFolder(), ...flags];
}

/**
 * Returns the folder with the stand-in headers.
 */
export function includeFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@nccl-ts/harness/package.json')), 'include');
}
