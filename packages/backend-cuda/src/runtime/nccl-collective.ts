import type { CollectiveName, DataType, RedOp } from '@nccl-ts/core';
import type { StreamHandle } from '@nccl-ts/transport';
import type { NcclFunction } from '../ffi/nccl-signatures.ts';

/** One rank's part of an NCCL collective. */
export interface NcclCollectivePart {
  /** Addresses that the rank's GPU can use. */
  readonly send: number;
  readonly recv: number;
  /** A stream of the same world. */
  readonly stream: StreamHandle;
}

/** One of NCCL's own collectives, with its arguments. */
export interface NcclCollectiveCall {
  readonly collective: CollectiveName;
  readonly dataType: DataType;
  /** The number of elements in NCCL's unit for this collective. */
  readonly count: number;
  /** Ignored if the collective does not reduce. @default RedOp.Sum */
  readonly op?: RedOp;
  /** Ignored if the collective has no root. @default 0 */
  readonly root?: number;
  /** One part for each rank of this process, in order. */
  readonly parts: readonly NcclCollectivePart[];
}

/** NCCL's own function for each collective that it has. */
export const nativeCollectives: Readonly<Partial<Record<CollectiveName, NcclFunction>>> = Object.freeze({
  allReduce: 'ncclAllReduce',
  broadcast: 'ncclBroadcast',
  reduce: 'ncclReduce',
  allGather: 'ncclAllGather',
  reduceScatter: 'ncclReduceScatter',
  allToAll: 'ncclAlltoAll',
  gather: 'ncclGather',
  scatter: 'ncclScatter',
});
