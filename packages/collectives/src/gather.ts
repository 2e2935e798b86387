import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from './buffer.ts';
import type { CollectiveOptions } from './call.ts';
import { runCollective } from './impl/run-collective.ts';

/**
 * `recv` of rank `root` has the `count` elements of `send` of rank 0, then those of rank 1, and so on. In place where `send` is the root's own
 * part of `recv`; of other ranks `recv` is not touched.
 *
 * All ranks pass the same window and offset for `recv`. Made by all ranks in the same order; resolves, as a launch does, when it is
 * enqueued. What is read of `recv` and written to `send` before the end of the launch is undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong, or the buffers overlap otherwise;
 *   `NCCL_INVALID_USAGE` where another rank calls something else in its place, see {@link CollectiveOptions}; as
 *   `Communicator.launch` and, the first time, `Communicator.createDevComm`.
 * @see ncclGather
 */
export async function gather<K extends ScalarKind>(
  comm: Communicator,
  send: Buffer<K>,
  recv: Buffer<K>,
  count: number,
  root: number,
  options: CollectiveOptions = {},
): Promise<void> {
  await runCollective(comm, { name: 'gather', send, recv, count, root, options }, gather);
}
