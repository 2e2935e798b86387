import type { ProgramHost, WindowValue } from '../program/program.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';
import type { RunningCta } from './running-cta.ts';

/**
 * The targets of multicast addresses. Any other address has the null region or that of a copy. It
 * has no members, and its members' pointers have the null region, so accesses through them fault.
 */
export function multicasts(host: ProgramHost): SupportFunctions {
  const { multicast } = host.regions;
  const unicastAddress = (region: number, address: number, member: number): number => {
    const found = multicast[region];
    return found === undefined ? 0 : (found.bases[member] ?? 0) + (address - found.address);
  };
  const unicastRegion = (region: number, member: number): number => multicast[region]?.regions[member] ?? 0;
  return {
    multicastRegion: (window: WindowValue, group: number): number => window.multicast.get(group) ?? 0,
    multicastAddress: (region: number, offset: number): number => {
      const found = multicast[region];
      return found === undefined ? 0 : found.address + offset;
    },
    multicastSize: (region: number): number => multicast[region]?.bases.length ?? 0,
    unicastAddress,
    unicastRegion,
    misalignedMulticast: (
      cta: RunningCta,
      thread: number,
      site: number,
      bytes: number,
      address: number,
      region: number,
      member: number,
    ): never =>
      host.fault(cta.identity, {
        kind: 'misaligned',
        site,
        thread,
        space: 'global',
        address: unicastAddress(region, address, member),
        bytes,
        region: unicastRegion(region, member),
      }),
  };
}
