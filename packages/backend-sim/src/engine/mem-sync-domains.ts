import type { LaunchAttributes, MemSyncDomainMap } from '@nccl-ts/transport';

export type { MemSyncDomainMap };

/**
 * The physical memory synchronization domains of a simulated device: as many as a Hopper GPU has.
 */
export const MEM_SYNC_DOMAINS = 4;

/** CUDA's default for a stream. */
export const defaultDomainMap: MemSyncDomainMap = Object.freeze({ default: 0, remote: 1 });

/** Returns the physical domain of a launch with these attributes. */
export function domainOf(map: MemSyncDomainMap, attributes: LaunchAttributes | undefined): number {
  return map[attributes?.memSyncDomain ?? 'default'];
}
