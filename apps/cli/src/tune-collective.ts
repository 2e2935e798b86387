import {
  allGather,
  allReduce,
  allToAll,
  broadcast,
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

interface TuneCollective {
  /** Whether one of the buffers has a part for each rank, so that `count` is a part of what a size names. */
  readonly parts: boolean;
  /** Out of place; sums where it reduces, with rank 0 as root where it has one. */
  readonly call: (call: TuneCall) => Promise<void>;
}

export const tuneCollectives: Readonly<Record<CollectiveName, TuneCollective>> = {
  allReduce: {
    parts: false,
    call: async ({ comm, send, recv, count, options }) => allReduce(comm, send, recv, count, RedOp.Sum, options),
  },
  broadcast: {
    parts: false,
    call: async ({ comm, send, recv, count, options }) => broadcast(comm, send, recv, count, 0, options),
  },
  reduce: {
    parts: false,
    call: async ({ comm, send, recv, count, options }) => reduce(comm, send, recv, count, RedOp.Sum, 0, options),
  },
  allGather: {
    parts: true,
    call: async ({ comm, send, recv, count, options }) => allGather(comm, send, recv, count, options),
  },
  reduceScatter: {
    parts: true,
    call: async ({ comm, send, recv, count, options }) => reduceScatter(comm, send, recv, count, RedOp.Sum, options),
  },
  allToAll: {
    parts: true,
    call: async ({ comm, send, recv, count, options }) => allToAll(comm, send, recv, count, options),
  },
  gather: {
    parts: true,
    call: async ({ comm, send, recv, count, options }) => gather(comm, send, recv, count, 0, options),
  },
  scatter: {
    parts: true,
    call: async ({ comm, send, recv, count, options }) => scatter(comm, send, recv, count, 0, options),
  },
};

/** Elements that a call of a size is told, as nccl-tests rounds them: parts are whole 16 bytes. */
export function tuneCount(collective: CollectiveName, bytes: number, elementBytes: number, nRanks: number): number {
  const elements = Math.floor(bytes / elementBytes);
  if (!tuneCollectives[collective].parts) return elements;
  const part = Math.floor(elements / nRanks);
  return part - (part % (16 / elementBytes));
}
