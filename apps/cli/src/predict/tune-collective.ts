import {
  allGather,
  allReduce,
  allToAll,
  broadcast,
  collectiveShapes,
  gather,
  reduce,
  reduceScatter,
  scatter,
  type BufferPointer,
  type CollectiveName,
  type CollectiveOptions,
} from '@nccl-ts/collectives';
import type { Communicator } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';

/** One rank's part in a call. */
export interface TuneCall {
  readonly comm: Communicator;
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
  readonly count: number;
  readonly options: CollectiveOptions;
}

/** The calls, out of place. Reductions are sums, and rank 0 is the root. */
export const tuneCollectives: Readonly<Record<CollectiveName, (call: TuneCall) => Promise<void>>> = {
  allReduce: async ({ comm, send, recv, count, options }) => allReduce(comm, send, recv, count, RedOp.Sum, options),
  broadcast: async ({ comm, send, recv, count, options }) => broadcast(comm, send, recv, count, 0, options),
  reduce: async ({ comm, send, recv, count, options }) => reduce(comm, send, recv, count, RedOp.Sum, 0, options),
  allGather: async ({ comm, send, recv, count, options }) => allGather(comm, send, recv, count, options),
  reduceScatter: async ({ comm, send, recv, count, options }) =>
    reduceScatter(comm, send, recv, count, RedOp.Sum, options),
  allToAll: async ({ comm, send, recv, count, options }) => allToAll(comm, send, recv, count, options),
  gather: async ({ comm, send, recv, count, options }) => gather(comm, send, recv, count, 0, options),
  scatter: async ({ comm, send, recv, count, options }) => scatter(comm, send, recv, count, 0, options),
};

/**
 * Returns the count for a call of a size, rounded like nccl-tests: parts are multiples of 16 bytes.
 */
export function tuneCount(collective: CollectiveName, bytes: number, elementBytes: number, nRanks: number): number {
  const elements = Math.floor(bytes / elementBytes);
  const { send, recv } = collectiveShapes[collective];
  if (send === 'one' && recv === 'one') return elements;
  const part = Math.floor(elements / nRanks);
  return part - (part % (16 / elementBytes));
}
