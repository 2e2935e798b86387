import { i32, structParam, u32, type StructParam } from '@nccl-ts/kernel';

/**
 * The location of the state of some CFT barriers: `bufHandle` is a resource handle (byte offset /
 * 128).
 *
 * @see ncclCftBarrierHandle
 */
export interface CftBarrierHandle {
  readonly bufHandle: number;
  readonly nBarriers: number;
}

/** The type of a handle of CFT barriers in a kernel. @see ncclCftBarrierHandle */
export const cftBarrierHandle: StructParam<CftBarrierHandle, CftBarrierHandle> = structParam({
  struct: 'CftBarrierHandle',
  fields: { bufHandle: u32, nBarriers: i32 },
});

/**
 * The bytes of `nBarriers` barriers over `nRanks` ranks on every rank: for each one a saved epoch,
 * a counter of multicast arrivals, and a word for each rank.
 */
export function cftBarrierBytes(nRanks: number, nBarriers: number): number {
  return 4 * nBarriers * (2 + nRanks);
}
