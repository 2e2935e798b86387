import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer } from './buffer.ts';
import { pointToPoint } from './impl/point-to-point.ts';
import type { StreamOptions } from './stream-options.ts';

/**
 * Receives `count` elements into `buffer` from rank `peer`, which sends as many of the same type with `send`. As `send` otherwise: on the
 * device it waits for the peer.
 *
 * @throws NcclError as `send`.
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
