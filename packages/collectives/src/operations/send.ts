import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer } from '../buffer.ts';
import { pointToPoint } from '../impl/point-to-point.ts';
import type { StreamOptions } from '../stream-options.ts';

/**
 * Sends `count` elements of `buffer` to rank `peer`, which must receive the same number of the same
 * type with `recv`. The call resolves when it is enqueued, or when a `group` holds it back. On the
 * device the send, and later work on the stream, may wait until the peer receives. So a rank that
 * both sends and receives must put the two calls into one group. It uses stores within a load-store
 * domain, and the network between domains. `group` describes a send that is never received.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong; `NCCL_INVALID_USAGE` if the
 *   peer has already called a `recv` that differs; `NCCLTS_NOT_SUPPORTED` if neither stores nor the
 *   network reach the peer; the errors of `Communicator.launch`.
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
