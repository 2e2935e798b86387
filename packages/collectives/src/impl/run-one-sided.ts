import type { Communicator } from '@nccl-ts/communicator';
import { expectInteger, scalarInfo } from '@nccl-ts/core';
import { pointerTo, type Buffer, type BufferPointer } from '../buffer.ts';
import { putSignalKernel, waitSignalKernel } from '../kernels/one-sided.ts';
import type { StreamOptions } from '../stream-options.ts';
import type { WaitSignalDesc } from '../wait-signal.ts';
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

/** Signals of ranks that follow each other, as many from each. */
interface Run {
  readonly first: number;
  ranks: number;
  readonly opCount: number;
}

export async function runWaitSignal(
  comm: Communicator,
  signals: readonly WaitSignalDesc[],
  options: StreamOptions,
): Promise<void> {
  oneDomain(comm, 'waitSignal');
  const runs: Run[] = [];
  for (const { peer, opCount = 1 } of signals) {
    expectInteger('waitSignal: peer', peer, 0, comm.nRanks - 1);
    expectInteger('waitSignal: opCount', opCount, 1, 2 ** 31 - 1);
    const last = runs.at(-1);
    if (last !== undefined && last.opCount === opCount && last.first + last.ranks === peer) last.ranks++;
    else runs.push({ first: peer, ranks: 1, opCount });
  }
  for (const { first, ranks, opCount: count } of runs) {
    await nowOrLater(comm, async () => {
      const { devComm, signals: words } = await collectiveState(comm);
      await comm.launch(
        waitSignalKernel,
        { grid: ranks, block: 1, ...(options.stream === undefined ? {} : { stream: options.stream }) },
        { comm: devComm, signals: words, first, count },
      );
    });
  }
}
