import type { LaunchAttributes, MemSyncDomainMap } from '@nccl-ts/transport';

export type { MemSyncDomainMap };

/** Physical memory synchronisation domains of a simulated device: as many as a Hopper GPU has. */
export const MEM_SYNC_DOMAINS = 4;

/** CUDA's default for a stream. */
export const defaultDomainMap: MemSyncDomainMap = Object.freeze({ default: 0, remote: 1 });

/** The physical domain of a launch with these attributes. */
export function domainOf(map: MemSyncDomainMap, attributes: LaunchAttributes | undefined): number {
  return map[attributes?.memSyncDomain ?? 'default'];
}
