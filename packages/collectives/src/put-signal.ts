import type { Communicator } from '@nccl-ts/communicator';
import type { Buffer, BufferPointer } from './buffer.ts';
import { runPutSignal } from './impl/run-one-sided.ts';
import type { StreamOptions } from './stream-options.ts';

/**
 * Stores `count` elements of `local` at the place `to` in the memory of rank `peer`, and signals it. The peer need do nothing for that; once it
 * has waited for the signal, the elements are there, and everything that this rank's stream stored before. Signals of one rank to one
 * peer are counted in order. Nothing says here when the peer has seen it, and until then it must not use the place.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where an argument is wrong; `NCCLTS_NOT_SUPPORTED` where the peer's memory is out of reach; as
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
  await runPutSignal(comm, 'putSignal', local, count, peer, to, options);
}
