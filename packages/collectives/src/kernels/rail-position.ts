import { teamRail, type DevComm, type SymPtr } from '@nccl-ts/devcomm';
import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/**
 * The number of CTAs and the bytes of their chunks for which there is scratch memory if there are
 * several load-store domains.
 */
export const HIERARCHICAL_CTAS = 2;
export const HIERARCHICAL_CHUNK_BYTES = 8192;

/**
 * The position of a rank among several load-store domains, and its CTA's memory for chunks in
 * flight.
 */
export interface RailPosition {
  /** The ranks with the same LSA rank in all domains. */
  readonly rail: Team;
  /** The number of ranks of a domain. */
  readonly near: number;
  readonly domains: number;
  /** This rank's LSA rank. */
  readonly place: number;
  /** The index of this rank's domain. */
  readonly domain: number;
  /** The largest number of elements of a chunk. */
  readonly most: number;
  /** The chunks to send, one for each rank. */
  readonly out: SymPtr;
  /** The chunks that were received, one from each domain. */
  readonly came: SymPtr;
}

/** Returns the bytes of scratch memory on each rank, for `ctas` CTAs. */
export function scratchBytes(ctas: number, nRanks: number, domains: number, chunkBytes: number): number {
  return ctas * (nRanks + domains) * chunkBytes;
}

/**
 * Returns the position in `scratch`, which has elements of type T and `scratchBytes` bytes. Chunks
 * have `chunkBytes` bytes, a constant.
 */
export const railPosition: DeviceFn<
  (comm: DevComm, type: TypeFn, scratch: SymPtr, chunkBytes: number) => RailPosition
> = deviceFn(
  { name: 'railPosition', use: { teamRail } },
  ({ teamRail, blockIdx, sizeOf, u32 }, comm: DevComm, T: TypeFn, scratch: SymPtr, chunkBytes: number) => {
    const rail = teamRail(comm);
    const near = u32(comm.lsaSize);
    const domains = u32(rail.nRanks);
    const most = u32(chunkBytes / sizeOf(T));
    const out = scratch.add(blockIdx.x * (near * domains + domains) * most);
    const came = out.add(near * domains * most);
    return { rail, near, domains, place: u32(comm.lsaRank), domain: u32(rail.rank), most, out, came };
  },
);
