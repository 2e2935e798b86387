import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NcclInstallation } from '../discovery/find-nccl.ts';

/** Identifies the headers of an NCCL installation. */
export async function ncclHeadersIdentity({ include }: NcclInstallation): Promise<string> {
  const files = [join(include, 'nccl.h'), join(include, 'nccl_device/impl/comm__types.h')];
  const stats = await Promise.all(files.map(async (file) => stat(file)));
  return stats.map(({ size, mtimeMs }, i) => `${files[i]} ${size} ${mtimeMs}`).join('\n');
}
