import type { Communicator } from '@nccl-ts/communicator';
import { waitForSignals } from './impl/run-one-sided.ts';
import type { StreamOptions } from './stream-options.ts';
import type { WaitSignalDesc } from './wait-signal-options.ts';

/**
 * Makes the stream wait for signals: of each peer so many more than were waited for before. What the peers put before is there for what
 * follows on the stream. Those of ranks that follow each other in the list, as many of each, are waited for in one launch.
 *
 * @throws NcclError as `putSignal`, before anything is waited for.
 * @see ncclWaitSignal
 */
export async function waitSignal(
  comm: Communicator,
  signals: readonly WaitSignalDesc[],
  options: StreamOptions = {},
): Promise<void> {
  await waitForSignals(comm, signals, options);
}
