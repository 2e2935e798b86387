import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from './buffer.ts';
import { noOptions, type CollectiveOptions } from './call.ts';
import { runCollective } from './impl/run-collective.ts';

/**
 * Copies the `count` elements of `send` of rank `root` to `recv` of every rank. In place if `recv`
 * is `send`; `send` of other ranks is not touched.
 *
 * All ranks must pass the same windows and offsets. All ranks must make the call in the same order.
 * It resolves, like a launch, when it is enqueued. Until the launch ends, reads of `recv` and
 * writes to `send` are undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong, or the buffers overlap in
 *   another way; `NCCL_INVALID_USAGE` if another rank makes a different call instead, see
 *   {@link CollectiveOptions}; errors of `Communicator.launch` and, the first time, of
 *   `Communicator.createDevComm`.
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
