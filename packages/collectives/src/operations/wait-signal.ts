import type { Communicator } from '@nccl-ts/communicator';
import { waitForSignals } from '../impl/run-one-sided.ts';
import type { StreamOptions } from '../stream-options.ts';
import type { WaitSignalDesc } from '../wait-signal-options.ts';

/**
 * Makes the stream wait for signals: a number of further signals from each peer, in addition to
 * those that it has waited for before. Later work on the stream then sees the earlier puts of the
 * peers. Consecutive ranks in the list with the same number of signals share one launch.
 *
 * @throws NcclError for the same reasons as `putSignal`, before it waits for any signal.
 * @see ncclWaitSignal
 */
export async function waitSignal(
  comm: Communicator,
  signals: readonly WaitSignalDesc[],
  options: StreamOptions = {},
): Promise<void> {
  await waitForSignals(comm, signals, options);
}
