import type { Communicator, LaunchOptions } from '@nccl-ts/communicator';
import { expectInteger, NcclError, reading, scalarInfo, showValue, takeOptions } from '@nccl-ts/core';
import { pointerTo, type Buffer, type BufferPointer } from '../buffer.ts';
import { farPutSignalKernel, farWaitSignalKernel, putSignalKernel, waitSignalKernel } from '../kernels/one-sided.ts';
import type { StreamOptions } from '../stream-options.ts';
import type { WaitSignalDesc } from '../wait-signal-options.ts';
import { collectiveState, type CollectiveState } from '../state/collective-state.ts';
import { runsOf, type OneSided, type OneSidedRun, type TransferBuffers } from './one-sided-runs.ts';
import { holdBack } from './open-group.ts';
import { checkReach, hasDomains } from '../state/reach.ts';

const THREADS = 64;

/** The source and destination of a put. A plain signal has neither. */
export interface PutRequest {
  readonly local: Buffer;
  readonly count: number;
  readonly to: BufferPointer;
}

/** Checks a put or a signal, and runs it at once or when the group ends. */
export async function putSignalTo(
  comm: Communicator,
  what: string,
  peer: number,
  request: PutRequest | undefined,
  options: StreamOptions,
): Promise<void> {
  const { stream } = takeOptions(what, options, { stream: true });
  if (request !== undefined) expectInteger(`${what}: count`, request.count, 0);
  expectInteger(`${what}: peer`, peer, 0, comm.nRanks - 1);
  checkReach(comm, peer, `${what} to rank ${peer}`);
  const buffers = request === undefined ? undefined : buffersOf(what, request);
  await nowOrLater(comm, [{ kind: 'put', peer, buffers, stream }]);
}

function buffersOf(what: string, { local, count, to }: PutRequest): TransferBuffers {
  const data = pointerTo(local, count, `${what}: buffer`);
  const bytes = count * scalarInfo[data.element].bytes;
  const target = reading(what, () => to.cast('u8'));
  pointerTo(target, bytes, `${what}: to`);
  return { data: data.cast('u8'), to: target, bytes };
}

/** Checks all signals, and waits for them at once or when the group ends. */
export async function waitForSignals(
  comm: Communicator,
  signals: readonly WaitSignalDesc[],
  options: StreamOptions,
): Promise<void> {
  const { stream } = takeOptions('waitSignal', options, { stream: true });
  const given: unknown = signals;
  if (!Array.isArray(given)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `waitSignal takes an array of { peer, opCount }; given ${showValue(given)}.`,
    );
  }
  const waits = reading('waitSignal', () =>
    signals.map(({ peer, opCount = 1 }): OneSided => {
      expectInteger('waitSignal: peer', peer, 0, comm.nRanks - 1);
      expectInteger('waitSignal: opCount', opCount, 1, 2 ** 31 - 1);
      checkReach(comm, peer, `waitSignal from rank ${peer}`);
      return { kind: 'wait', peer, opCount, stream };
    }),
  );
  await nowOrLater(comm, waits);
}

async function nowOrLater(comm: Communicator, operations: readonly OneSided[]): Promise<void> {
  const held = operations.map((operation) => holdBack(comm, operation));
  if (!held.includes(true)) await runOneSided(comm, operations);
}

/** Launches one-sided operations in order, in as few launches as possible. */
export async function runOneSided(comm: Communicator, operations: readonly OneSided[]): Promise<void> {
  if (operations.length === 0) return;
  const state = await collectiveState(comm);
  for (const run of runsOf(operations)) await launchRun(comm, run, state);
}

async function launchRun(comm: Communicator, run: OneSidedRun, state: CollectiveState): Promise<void> {
  const { devComm, signals, farSignals, nowhere } = state;
  const { first, ranks, stream } = run;
  const isFar = hasDomains(comm);
  const launch = (block: number): LaunchOptions => ({
    grid: ranks,
    block,
    ...(stream === undefined ? {} : { stream }),
  });
  const args = { comm: devComm, signals, farSignals, first };
  if (run.kind === 'wait') {
    const kernel = isFar ? farWaitSignalKernel : waitSignalKernel;
    return comm.launch(kernel, launch(1), { ...args, count: run.opCount });
  }
  const { buffers = { data: nowhere, to: nowhere, bytes: 0, dataStep: 0, toStep: 0 } } = run;
  return comm.launch(isFar ? farPutSignalKernel : putSignalKernel, launch(THREADS), { ...args, ...buffers });
}
