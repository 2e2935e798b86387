import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer } from './buffer.ts';
import { pointToPoint } from './impl/point-to-point.ts';
import type { StreamOptions } from './stream-options.ts';

/**
 * Sends `count` elements of `buffer` to rank `peer`, which must receive as many of the same type
 * with `recv`. Resolves when it is enqueued, or when a `group` holds it back. On the device it may
 * wait until the peer receives. So a rank that sends and receives puts both into one group. Later
 * work on the stream waits too. Uses stores within a load-store domain, and the network between
 * domains. For a send that is never received, see `group`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong; `NCCL_INVALID_USAGE` if the
 *   peer has already called a receive that differs; `NCCLTS_NOT_SUPPORTED` if neither stores nor
 *   the network reach the peer; errors of `Communicator.launch`.
 * @see ncclSend
 */
export async function send(
  comm: Communicator,
  buffer: Buffer,
  count: number,
  peer: number,
  options: StreamOptions = {},
): Promise<void> {
  await pointToPoint('send', comm, buffer, count, peer, options);
}
