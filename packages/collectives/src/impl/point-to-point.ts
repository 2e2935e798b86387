import type { Communicator } from '@nccl-ts/communicator';
import { expectInteger, takeOptions, scalarInfo } from '@nccl-ts/core';
import { pointerTo, type Buffer } from '../buffer.ts';
import type { StreamOptions } from '../stream-options.ts';
import { holdBack } from './open-group.ts';
import { runExchange } from './run-exchange.ts';

/** Checks a send or a receive, and runs it at once or when the group ends. */
export async function pointToPoint(
  kind: 'send' | 'recv',
  comm: Communicator,
  buffer: Buffer,
  count: number,
  peer: number,
  options: StreamOptions,
): Promise<void> {
  const { stream } = takeOptions(kind, options, { stream: true });
  expectInteger(`${kind}: count`, count, 0);
  expectInteger(`${kind}: peer`, peer, 0, comm.nRanks - 1);
  const data = pointerTo(buffer, count, `${kind}: buffer`);
  const operation = { kind, data, count, bytes: count * scalarInfo[data.element].bytes, peer, stream };
  if (!holdBack(comm, operation)) await runExchange(comm, [operation], false);
}
