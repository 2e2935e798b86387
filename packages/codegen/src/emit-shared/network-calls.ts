import type { CallStatement } from '@nccl-ts/ir';

/** True if a call concerns the network: it is one of GIN, or of NVSHMEM's requests. */
export function isNetworkCall({ name }: CallStatement): boolean {
  return name.startsWith('gin.') || name.startsWith('shmem.');
}
