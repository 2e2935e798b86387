import { NcclError } from '@nccl-ts/core';
import { World, type Companion } from '@nccl-ts/communicator';
import { describe, expect, it } from 'vitest';
import { memoryBackend } from './memory-backend/memory-backend.ts';

/** Counts pending operations, and throws if any are left. */
class Debts implements Companion {
  readonly localRanks: readonly number[];
  owed = 0;
  isUrgent = false;

  constructor(localRanks: readonly number[]) {
    this.localRanks = localRanks;
  }

  atRest(): NcclError | undefined {
    return this.isUrgent ? new NcclError('NCCL_INVALID_USAGE', `urgent: ${this.owed}`) : undefined;
  }

  atEnd(): NcclError | undefined {
    return this.owed > 0 ? new NcclError('NCCL_INVALID_USAGE', `owed: ${this.owed}`) : undefined;
  }
}

class Others extends Debts {}

async function open(): Promise<World> {
  return World.open({ backend: memoryBackend({ ranks: 2, groups: true }) });
}

describe('a companion', () => {
  it('is shared by all ranks of a communicator, with one for each kind', async () => {
    await using world = await open();
    const [comm, other] = [world.comm(0), world.comm(1)];
    expect(comm.companion(Debts)).toBe(other.companion(Debts));
    expect(comm.companion(Debts)).not.toBe(comm.companion(Others));
    const [half] = await Promise.all([comm.split(0), other.split(1)]);
    expect(half.companion(Debts)).not.toBe(comm.companion(Debts));
    expect([comm, half].map((one) => one.companion(Debts).localRanks)).toEqual([[0, 1], [0]]);
    await half.close();
    expect(() => half.companion(Debts)).toThrow(expect.objectContaining({ code: 'NCCLTS_CLOSED' }));
  });

  it('is called at the end of a run, after all callbacks have returned', async () => {
    await using world = await open();
    await world.run((comm) => void (comm.companion(Debts).owed = 1));
    const run = world.run((comm) => void (comm.companion(Debts).isUrgent = true));
    await expect(run).rejects.toThrow('urgent: 1');
    await expect(world.run(() => undefined)).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
  });

  it('is not called after a callback has failed', async () => {
    await using world = await open();
    const run = world.run((comm) => {
      comm.companion(Debts).isUrgent = true;
      if (comm.rank === 1) throw new Error('mine');
    });
    await expect(run).rejects.toThrow('mine');
  });

  it('is called by finalize, before and after it waits, and never again', async () => {
    await using world = await open();
    const comms = [world.comm(0), world.comm(1)];
    const debts = comms[0]?.companion(Debts) ?? expect.fail();
    [debts.owed, debts.isUrgent] = [2, true];
    const finalized = async (): Promise<unknown> => Promise.allSettled(comms.map(async (comm) => comm.finalize()));
    const rejected = (message: string): unknown =>
      [message, message].map(() => ({ status: 'rejected', reason: expect.objectContaining({ message }) }));
    expect(await finalized()).toEqual(rejected('urgent: 2'));
    debts.isUrgent = false;
    expect(await finalized()).toEqual(rejected('owed: 2'));
    for (const comm of comms) await comm.close();
  });

  it('is called by the last rank to close', async () => {
    await using world = await open();
    world.comm(0).companion(Debts).owed = 3;
    await world.comm(1).close();
    await expect(world.comm(0).close()).rejects.toThrow('owed: 3');
  });

  it('is called when the world closes, unless it was aborted', async () => {
    const world = await open();
    world.comm(0).companion(Debts).owed = 4;
    await expect(world.close()).rejects.toThrow('owed: 4');
    const other = await open();
    other.comm(0).companion(Debts).owed = 5;
    await other.comm(0).abort();
    await other.close();
  });
});
