import { cpus } from 'node:os';

/** The machine of a results file. */
export function machineText(): string {
  return `${cpus().length} cores, ${cpus()[0]?.model ?? 'of an unknown kind'}`;
}
