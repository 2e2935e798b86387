import { readFile } from 'node:fs/promises';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { isNcclError } from '@nccl-ts/core';
import { UsageError } from '../usage-error.ts';

/**
 * Returns the costs of a machine, given by name or by a file that ends in .json, like those in
 * `profiles`.
 *
 * @throws UsageError if there is no such machine, or the file is not a profile.
 */
export async function machineNamed(name: string): Promise<SimTraceOptions> {
  const { machines, traceOfProfile } = await import('@nccl-ts/cost-model');
  if (!name.endsWith('.json')) {
    const found = Object.entries(machines).find(([known]) => known === name);
    if (found !== undefined) return found[1];
    const known = Object.keys(machines).join(', ');
    throw new UsageError(`--machine ${name}: there is no such machine; name one of ${known}, or a profile FILE.json`);
  }
  let profile: unknown;
  try {
    profile = JSON.parse(await readFile(name, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new UsageError(`--machine ${name}: ${why}; it must be a file like those in profiles/`);
  }
  try {
    return traceOfProfile(profile);
  } catch (error) {
    if (isNcclError(error, 'NCCL_INVALID_ARGUMENT')) throw new UsageError(`--machine ${name}: ${error.message}`);
    throw error;
  }
}
