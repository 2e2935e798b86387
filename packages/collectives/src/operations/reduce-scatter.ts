import type { Communicator } from '@nccl-ts/communicator';
import type { ScalarKind } from '@nccl-ts/core';
import type { Buffer } from '../buffer.ts';
import { noOptions, type CollectiveOptions } from '../call.ts';
import { runCollective } from '../impl/run-collective.ts';
import type { ReduceOp } from '../red-op.ts';

/**
 * Reduces element `r * count + i` of every rank's `send` with `op`, and stores the result to
 * element `i` of rank `r`'s `recv`, for each of `count` elements. The call is in place if `recv` is
 * the rank's own part of `send`.
 *
 * All ranks must pass the same window and offset for `send`. All ranks must call their collectives
 * in the same order. The call resolves when it is enqueued, as a launch does. Until the launch
 * ends, reads of `recv` and writes to `send` are undefined.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong, or the buffers overlap but the
 *   call is not in place; `NCCL_INVALID_USAGE` if another rank makes a different call (see
 *   {@link CollectiveOptions}); the errors of `Communicator.launch`; on the first call, also those
 *   of `Communicator.createDevComm`.
 * @see ncclReduceScatter
 */
export async function reduceScatter<K extends ScalarKind>(
  comm: Communicator,
  send: Buffer<K>,
  recv: Buffer<K>,
  count: number,
  op: ReduceOp,
  options: CollectiveOptions = noOptions,
): Promise<void> {
  await runCollective(comm, { name: 'reduceScatter', send, recv, count, op, options }, reduceScatter);
}
