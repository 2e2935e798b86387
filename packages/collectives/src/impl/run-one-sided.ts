import type { Communicator } from '@nccl-ts/communicator';
import { expectInteger, scalarInfo } from '@nccl-ts/core';
import { pointerTo, type Buffer, type BufferPointer } from '../buffer.ts';
import { putSignalKernel, waitSignalKernel } from '../kernels/one-sided.ts';
import type { StreamOptions } from '../stream-options.ts';
import { collectiveState } from './collective-state.ts';
import { nowOrLater } from './open-group.ts';
import { oneDomain } from './one-domain.ts';

const THREADS = 64;

export async function runPutSignal(
  comm: Communicator,
  what: string,
  local: Buffer | undefined,
  count: number,
  peer: number,
  to: BufferPointer | undefined,
  options: StreamOptions,
): Promise<void> {
  oneDomain(comm, what);
  expectInteger(`${what}: count`, count, 0);
  expectInteger(`${what}: peer`, peer, 0, comm.nRanks - 1);
  const data = local === undefined ? undefined : pointerTo(local, count, `${what}: buffer`);
  const bytes = data === undefined ? 0 : count * scalarInfo[data.element].bytes;
  const place = to === undefined ? undefined : pointerTo(to.cast('u8'), bytes, `${what}: to`);
  await nowOrLater(comm, async () => {
    const { devComm, signals, scratch } = await collectiveState(comm);
    await comm.launch(
      putSignalKernel,
      { grid: 1, block: THREADS, ...(options.stream === undefined ? {} : { stream: options.stream }) },
      {
        comm: devComm,
        signals,
        data: (data ?? scratch).cast('u8'),
        to: place ?? scratch.cast('u8'),
        bytes,
        peer,
      },
    );
  });
}

export async function runWaitSignal(
  comm: Communicator,
  peer: number,
  count: number,
  options: StreamOptions,
): Promise<void> {
  oneDomain(comm, 'waitSignal');
  expectInteger('waitSignal: peer', peer, 0, comm.nRanks - 1);
  expectInteger('waitSignal: opCount', count, 1, 2 ** 31 - 1);
  await nowOrLater(comm, async () => {
    const { devComm, signals } = await collectiveState(comm);
    await comm.launch(
      waitSignalKernel,
      { grid: 1, block: 1, ...(options.stream === undefined ? {} : { stream: options.stream }) },
      { comm: devComm, signals, peer, count },
    );
  });
}
