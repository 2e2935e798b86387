import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from './buffer.ts';
import type { CollectiveOptions } from './call.ts';
import { runCollective } from './impl/run-collective.ts';
import type { ReduceOp } from './red-op.ts';

/**
 * `recv` of rank `r` has what `op` makes of element `r * count + i` of all ranks' `send`, for each of `count` elements. In place where
 * `recv` is the rank's own part of `send`.
 *
 * All ranks pass the same window and offset for `send`. Made by all ranks in the same order; resolves, as a launch does, when it is
 * enqueued. What is read of `recv` and written to `send` before the end of the launch is undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong, or the buffers overlap otherwise;
 *   `NCCL_INVALID_USAGE` where another rank calls something else in its place, see {@link CollectiveOptions}; as
 *   `Communicator.launch` and, the first time, `Communicator.createDevComm`.
 * @see ncclReduceScatter
 */
export async function reduceScatter<K extends ScalarKind>(
  comm: Communicator,
  send: Buffer<K>,
  recv: Buffer<K>,
  count: number,
  op: ReduceOp,
  options: CollectiveOptions = {},
): Promise<void> {
  await runCollective(comm, { name: 'reduceScatter', send, recv, count, op, options }, reduceScatter);
}
