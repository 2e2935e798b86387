import type { Communicator } from '@nccl-ts/communicator';
import { waitForSignals } from './impl/run-one-sided.ts';
import type { StreamOptions } from './stream-options.ts';
import type { WaitSignalDesc } from './wait-signal-options.ts';

/**
 * Makes the stream wait for signals: a number of further signals from each peer, beyond those
 * waited for before. Earlier puts of the peers are then visible to later work on the stream.
 * Consecutive ranks in the list with the same number of signals share one launch.
 *
 * @throws NcclError like `putSignal`, before anything is waited for.
 * @see ncclWaitSignal
 */
export async function waitSignal(
  comm: Communicator,
  signals: readonly WaitSignalDesc[],
  options: StreamOptions = {},
): Promise<void> {
  await waitForSignals(comm, signals, options);
}
