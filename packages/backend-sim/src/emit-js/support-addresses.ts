import type { ProgramHost } from '../program.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/** Converts device addresses to pointers of the launch's rank, and back. */
export function addresses(host: ProgramHost): SupportFunctions {
  return {
    addressInHeap: (address: number): number => host.pointerAt(address).address,
    addressRegion: (address: number): number => host.pointerAt(address).region,
    deviceAddress: (address: number, region: number): bigint => BigInt(host.addressOf({ address, region })),
  };
}
