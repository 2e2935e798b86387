import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer } from './buffer.ts';
import { pointToPoint } from './impl/point-to-point.ts';
import type { StreamOptions } from './stream-options.ts';

/**
 * Receives `count` elements into `buffer` from rank `peer`, which must send as many of the same
 * type with `send`. Otherwise like `send`: on the device it waits for the peer.
 *
 * @throws NcclError like `send`.
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
