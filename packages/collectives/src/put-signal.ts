import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer, BufferPointer } from './buffer.ts';
import { putSignalTo } from './impl/run-one-sided.ts';
import type { StreamOptions } from './stream-options.ts';

/**
 * Stores `count` elements of `local` at the place `to` in the memory of rank `peer`, and signals it. The peer need do nothing for that; once it
 * has waited for the signal, the elements are there, and everything that this rank's stream stored or put there before. Signals of one rank
 * to one peer are counted in order. Nothing says here when the peer has seen it, and until then it must not use the place. By stores within
 * a load-store domain, by a put of the network to another one; of `local` what follows on the stream may write.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong; `NCCLTS_NOT_SUPPORTED` where neither loads and stores nor the network lead to the peer; as
 *   `Communicator.launch`.
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
