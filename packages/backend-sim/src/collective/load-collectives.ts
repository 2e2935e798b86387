import { debugLog } from '@nccl-ts/core';
import type { CollectiveEngine, CollectiveMemory } from '@nccl-ts/transport';

/** Opens an engine whose work is done by this number of threads, including the calling one. */
export type OpenCollectives = (memory: CollectiveMemory, threads: number) => CollectiveEngine;

/** Loads what opens a world's engine; `undefined` if it cannot be loaded. */
export type LoadCollectives = () => Promise<OpenCollectives | undefined>;

/**
 * Loads the package that performs collectives without kernels; `undefined` if it is not installed.
 *
 * @param load imports the module
 */
export async function loadCollectives(
  load: () => Promise<{ readonly createCollectiveEngine: OpenCollectives }> = importPackage,
): Promise<OpenCollectives | undefined> {
  try {
    return (await load()).createCollectiveEngine;
  } catch (error) {
    debugLog(
      'sim',
      () => `kernels do the work of collectives, because @nccl-ts/cpu-collectives is missing: ${String(error)}`,
    );
    return undefined;
  }
}

async function importPackage(): Promise<{ readonly createCollectiveEngine: OpenCollectives }> {
  return import('../native/collective-engine.ts');
}
