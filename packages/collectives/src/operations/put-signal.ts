import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer, BufferPointer } from '../buffer.ts';
import { putSignalTo } from '../impl/run-one-sided.ts';
import type { StreamOptions } from '../stream-options.ts';

/**
 * Stores `count` elements of `local` at `to` in the memory of rank `peer`, and signals the peer,
 * which makes no matching call. Once the peer has waited for the signal, it sees the elements, and
 * everything that this rank's stream stored or put there before. Signals of one rank to one peer
 * are counted in order. The call does not show when the peer has seen the elements, and the peer
 * must not use the destination before its wait ends. It uses stores within a load-store domain, and
 * a put through the network to another domain. Later work on the stream may overwrite `local`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong; `NCCLTS_NOT_SUPPORTED` if
 *   neither stores nor the network reach the peer; the errors of `Communicator.launch`.
 * @see ncclPutSignal
 */
export async function putSignal(
  comm: Communicator,
  local: Buffer,
  count: number,
  peer: number,
  to: BufferPointer,
  options: StreamOptions = {},
): Promise<void> {
  await putSignalTo(comm, 'putSignal', peer, { local, count, to }, options);
}
