import type { ProgramHost, WindowValue } from '../program.ts';
import type { SupportFunctions } from './support-functions.ts';

/**
 * Where multicast addresses lead. What is none has the null region or that of a copy: it has no members, and its members'
 * pointers have the null region, so that accesses through them fault.
 */
export function multicasts({ regions }: ProgramHost): SupportFunctions {
  const { multicast } = regions;
  return {
    multicastRegion: (window: WindowValue, group: number): number => window.multicast.get(group) ?? 0,
    multicastAddress: (region: number, offset: number): number => {
      const found = multicast[region];
      return found === undefined ? 0 : found.address + offset;
    },
    multicastSize: (region: number): number => multicast[region]?.bases.length ?? 0,
    unicastAddress: (region: number, address: number, member: number): number => {
      const found = multicast[region];
      return found === undefined ? 0 : (found.bases[member] ?? 0) + (address - found.address);
    },
    unicastRegion: (region: number, member: number): number => multicast[region]?.regions[member] ?? 0,
  };
}
