import { homedir } from 'node:os';
import { NcclError } from '@nccl-ts/core';

/** The machine to search: its environment and its root folder. Tests pass their own folders. */
export interface DiscoveryHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The prefix of paths such as `/usr`; empty for the machine itself. */
  readonly root: string;
  readonly home: string;
}

/**
 * Returns this machine.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the program has no permission to search, as in Deno
 * without permissions.
 */
export function thisHost(): DiscoveryHost {
  try {
    const { env } = process;
    // Read here, so that an error is reported once, with a clear message.
    void env['NCCLTS_CACHE_DIR'];
    return { env, root: '', home: homedir() };
  } catch (cause) {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `The program is not permitted to look for CUDA and NCCL on this machine: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        'Native libraries need all permissions: run Deno with --allow-all.',
      { cause },
    );
  }
}

/** Returns the value of an environment variable, unless it is unset or empty. */
export function variable(host: DiscoveryHost, name: string): string | undefined {
  const value = host.env[name];
  return value === undefined || value === '' ? undefined : value;
}
