import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer } from '../buffer.ts';
import { pointToPoint } from '../impl/point-to-point.ts';
import type { StreamOptions } from '../stream-options.ts';

/**
 * Receives `count` elements into `buffer` from rank `peer`, which must `send` the same number of
 * the same type. On the device it waits for the peer. In all other respects it is like `send`.
 *
 * @throws NcclError for the same reasons as `send`.
 * @see ncclRecv
 */
export async function recv(
  comm: Communicator,
  buffer: Buffer,
  count: number,
  peer: number,
  options: StreamOptions = {},
): Promise<void> {
  await pointToPoint('recv', comm, buffer, count, peer, options);
}
