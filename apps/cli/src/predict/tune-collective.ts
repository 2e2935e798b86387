import { collective, type BufferPointer, type CollectiveOptions } from '@nccl-ts/collectives';
import type { Communicator } from '@nccl-ts/communicator';
import { collectiveShapes, RedOp, type CollectiveName } from '@nccl-ts/core';

/** One rank's part in a call. */
export interface TuneCall {
  readonly comm: Communicator;
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
  readonly count: number;
  readonly options: CollectiveOptions;
}

/** Makes a call, out of place. Reductions are sums, and rank 0 is the root. */
export async function tuneCall(name: CollectiveName, { comm, ...buffers }: TuneCall): Promise<void> {
  await collective(comm, name, { ...buffers, op: RedOp.Sum, root: 0 });
}

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
