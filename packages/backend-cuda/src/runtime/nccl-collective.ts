import type { DataType, RedOp } from '@nccl-ts/core';
import type { CollectiveWork, StreamHandle } from '@nccl-ts/transport';
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
  readonly collective: CollectiveWork['collective'];
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

/** NCCL's function, and the arguments between the data type and the communicator. */
interface NativeCollective {
  readonly name: NcclFunction;
  readonly takes: readonly ('op' | 'root')[];
}

export const nativeCollectives: Readonly<Record<NcclCollectiveCall['collective'], NativeCollective>> = Object.freeze({
  allReduce: { name: 'ncclAllReduce', takes: ['op'] },
  broadcast: { name: 'ncclBroadcast', takes: ['root'] },
  reduce: { name: 'ncclReduce', takes: ['op', 'root'] },
  allGather: { name: 'ncclAllGather', takes: [] },
  reduceScatter: { name: 'ncclReduceScatter', takes: ['op'] },
  allToAll: { name: 'ncclAlltoAll', takes: [] },
  gather: { name: 'ncclGather', takes: ['root'] },
  scatter: { name: 'ncclScatter', takes: ['root'] },
});
