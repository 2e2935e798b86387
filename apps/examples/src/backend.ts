import { cuda } from '@nccl-ts/backend-cuda';
import { sim } from '@nccl-ts/backend-sim';
import { webgpu } from '@nccl-ts/backend-webgpu';
import type { Backend } from '@nccl-ts/transport';

/**
 * Makes a backend with this many ranks to run the examples. Nothing else in the examples depends on
 * the backend. `lsaSize` is the number of ranks that reach each other's memory, which only the
 * simulator supports. By default, all do.
 */
const backends = {
  sim: (ranks: number, lsaSize?: number): Backend => sim(lsaSize === undefined ? { ranks } : { ranks, lsaSize }),
  /** All ranks on one GPU, of any vendor. */
  webgpu: (ranks: number): Backend => webgpu({ ranks }),
  /** The number of this machine's GPUs to use. If there are fewer than ranks, ranks share them. */
  cuda: (ranks: number): Backend => cuda({ ranks }),
} as const;

export type BackendName = keyof typeof backends;

export const backendNames: readonly string[] = Object.keys(backends);

export function isBackendName(name: string): name is BackendName {
  return Object.hasOwn(backends, name);
}

/** Returns a function that makes backends of that name, for any number of ranks. */
export function backendFactory(name: BackendName): (ranks: number, lsaSize?: number) => Backend {
  return backends[name];
}
