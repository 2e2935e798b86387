import { structParam, u32, u64, type StructParam } from '@nccl-ts/kernel';

/**
 * The target of a fabric operation: the number of a logical endpoint, and an offset in it. You may
 * add to an offset within a window. The numbers have no other meaning.
 *
 * @see ncclCftLeId
 */
export interface LogicalEndpoint {
  readonly leId: number;
  readonly leOffset: number;
}

/**
 * The parameter type for a `LogicalEndpoint`: one that a host obtained, by `getPeerDeviceLeInfo`
 * and the like.
 */
export const logicalEndpoint: StructParam<LogicalEndpoint, LogicalEndpoint> = structParam({
  struct: 'LogicalEndpoint',
  fields: { leId: u32, leOffset: u64 },
});
