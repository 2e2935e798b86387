import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from './buffer.ts';
import type { CollectiveOptions } from './call.ts';
import { runCollective } from './impl/run-collective.ts';

/**
 * `recv` of every rank has the `count` elements of `send` of rank `root`. In place where `recv` is `send`; of other ranks `send` is
 * not touched.
 *
 * All ranks pass the same windows and offsets. Made by all ranks in the same order; resolves, as a launch does, when it is
 * enqueued. What is read of `recv` and written to `send` before the end of the launch is undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong, or the buffers overlap otherwise;
 *   `NCCL_INVALID_USAGE` where another rank calls something else in its place, see {@link CollectiveOptions}; as
 *   `Communicator.launch` and, the first time, `Communicator.createDevComm`.
 * @see ncclBroadcast
 */
export async function broadcast<K extends ScalarKind>(
  comm: Communicator,
  send: Buffer<K>,
  recv: Buffer<K>,
  count: number,
  root: number,
  options: CollectiveOptions = {},
): Promise<void> {
  await runCollective(comm, { name: 'broadcast', send, recv, count, root, options }, broadcast);
}
