import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from './buffer.ts';
import type { CollectiveOptions } from './call.ts';
import { runCollective } from './impl/run-collective.ts';

/**
 * `recv` of rank `r` has the `count` elements from `r * count` on of `send` of rank `root`. In place where `recv` is the root's own part of
 * `send`; of other ranks `send` is not touched.
 *
 * All ranks pass the same window and offset for `send`. Made by all ranks in the same order; resolves, as a launch does, when it is
 * enqueued. What is read of `recv` and written to `send` before the end of the launch is undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong, or the buffers overlap otherwise;
 *   `NCCL_INVALID_USAGE` where another rank calls something else in its place, see {@link CollectiveOptions}; as
 *   `Communicator.launch` and, the first time, `Communicator.createDevComm`.
 * @see ncclScatter
 */
export async function scatter<K extends ScalarKind>(
  comm: Communicator,
  send: Buffer<K>,
  recv: Buffer<K>,
  count: number,
  root: number,
  options: CollectiveOptions = {},
): Promise<void> {
  await runCollective(comm, { name: 'scatter', send, recv, count, root, options }, scatter);
}
