import type { Communicator } from '@nccl-ts/communicator';
import { putSignalTo } from '../impl/run-one-sided.ts';
import type { StreamOptions } from '../stream-options.ts';

/**
 * Signals rank `peer`, like `putSignal` without elements.
 *
 * @throws NcclError for the same reasons as `putSignal`.
 * @see ncclSignal
 */
export async function signal(comm: Communicator, peer: number, options: StreamOptions = {}): Promise<void> {
  await putSignalTo(comm, 'signal', peer, undefined, options);
}
