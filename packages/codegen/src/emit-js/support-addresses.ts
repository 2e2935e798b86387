import type { ProgramHost } from '../program/program.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/** Converts device addresses to pointers of the launch's rank, and back. */
export function addresses(host: ProgramHost): SupportFunctions {
  // Code asks for the address and then for the region, so one lookup serves both.
  let known = Number.NaN;
  let region = 0;
  const inHeap = (address: number): number => {
    const found = host.pointerAt(address);
    known = address;
    region = found.region;
    return found.address;
  };
  return {
    addressInHeap: inHeap,
    addressRegion: (address: number): number => {
      if (address !== known) inHeap(address);
      known = Number.NaN;
      return region;
    },
    deviceAddress: (address: number, of: number): bigint => BigInt(host.addressOf(address, of)),
  };
}
