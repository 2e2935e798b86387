import type { Communicator, DevComm, Window } from '@nccl-ts/communicator';
import { isNcclError, type NcclError } from '@nccl-ts/core';
import { meetsOften } from '../programs/faulty.ts';

/** The error that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<NcclError | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (isNcclError(error)) return error;
    throw error;
  }
}

interface Meeting {
  readonly comm: DevComm;
  readonly win: Window<'f32'>;
}

export async function prepareMeetings(comm: Communicator): Promise<Meeting> {
  const win = await comm.allocWindow('f32', 64);
  return { win, comm: await comm.createDevComm({ lsaBarrierCount: 1 }) };
}

export async function launchMeetings(
  comm: Communicator,
  meeting: Meeting,
  n: number,
  signal?: AbortSignal,
): Promise<void> {
  await comm.launch(meetsOften, { grid: 1, block: 32, ...(signal !== undefined && { signal }) }, { ...meeting, n });
}
