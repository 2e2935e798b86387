import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from '../buffer.ts';
import { noOptions, type CollectiveOptions } from '../call.ts';
import { runCollective } from '../impl/run-collective.ts';

/**
 * Copies the `count` elements of rank `root`'s `send` to every rank's `recv`. The call is in place
 * if `recv` is `send`. The `send` of other ranks is unused.
 *
 * All ranks must pass the same windows and offsets. All ranks must call their collectives in the
 * same order. The call resolves when it is enqueued, as a launch does. Until the launch ends, reads
 * of `recv` and writes to `send` are undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong, or the buffers overlap but the
 *   call is not in place; `NCCL_INVALID_USAGE` if another rank makes a different call (see
 *   {@link CollectiveOptions}); the errors of `Communicator.launch`; on the first call, also those
 *   of `Communicator.createDevComm`.
 * @see ncclBroadcast
 */
export async function broadcast<K extends ScalarKind>(
  comm: Communicator,
  send: Buffer<K>,
  recv: Buffer<K>,
  count: number,
  root: number,
  options: CollectiveOptions = noOptions,
): Promise<void> {
  await runCollective(comm, { name: 'broadcast', send, recv, count, root, options }, broadcast);
}
