import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer } from './buffer.ts';
import { pointToPoint } from './impl/point-to-point.ts';
import type { StreamOptions } from './stream-options.ts';

/**
 * Sends `count` elements of `buffer` to rank `peer`, which receives as many of the same type with `recv`. Resolves when it is enqueued, or
 * held back by a `group`. On the device it may wait until the peer receives, so a rank that sends and receives puts both into
 * one group; what follows on the stream waits too. Within a load-store domain it goes by stores, between domains through the network. What becomes of a send that is never received: see `group`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong; `NCCL_INVALID_USAGE` where the peer receives something else already;
 *   `NCCLTS_NOT_SUPPORTED` where neither stores nor the network lead to the peer;
 *   as `Communicator.launch`.
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
