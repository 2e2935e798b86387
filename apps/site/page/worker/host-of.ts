import type { HostProgram } from '@nccl-ts/checker';
import { loadProgram } from './load-program.ts';

/** The host program of a text; `undefined` if it exports none. */
export async function hostOf(text: string): Promise<HostProgram | undefined> {
  const { host } = await loadProgram(text);
  if (host === undefined) return undefined;
  return async (comm, launch) => {
    await host(comm, launch);
  };
}
