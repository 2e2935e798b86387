import { cuda } from '@nccl-ts/backend-cuda';
import { sim } from '@nccl-ts/backend-sim';
import { webgpu } from '@nccl-ts/backend-webgpu';
import type { Backend } from '@nccl-ts/transport';

/**
 * The backends that run the examples, with that many ranks. Nothing else in them depends on it. The
 * number of ranks that reach each other's memory; only the simulator has this choice. By default,
 * all.
 */
const backends = {
  sim: (ranks: number, lsaSize?: number): Backend => sim(lsaSize === undefined ? { ranks } : { ranks, lsaSize }),
  /** All ranks on one GPU, of any vendor. */
  webgpu: (ranks: number): Backend => webgpu({ ranks }),
  /** The number of this machine's GPUs to use; with fewer, ranks share them. */
  cuda: (ranks: number): Backend => cuda({ ranks }),
} as const;

export type BackendName = keyof typeof backends;

export const backendNames: readonly string[] = Object.keys(backends);

export function isBackendName(name: string): name is BackendName {
  return Object.hasOwn(backends, name);
}

/** Makes backends of that name for any number of ranks. */
export function backendFactory(name: BackendName): (ranks: number, lsaSize?: number) => Backend {
  return backends[name];
}
