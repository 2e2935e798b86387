import { check } from '@nccl-ts/checker';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { hosts } from './every-engine.ts';

const params = { comm: devComm, win: window };

/** Each rank stores a number, meets the others, and loads the number of its neighbour. */
const meets = (order: 'relaxed' | 'acquire' | 'acq_rel') =>
  kernel(
    { name: `meets_${order}`, use: { lsa, gin, ORDER: order }, params },
    ({ lsa, gin, ORDER, coopCta, u32 }, { comm, win }) => {
      const next = (comm.rank + 1) % comm.nRanks;
      lsa.localPointer(win, u32, 0).store(0, 9);
      gin.barrier(coopCta(), gin.context(comm, 0), 'world', 0, ORDER, 'none');
      lsa.localPointer(win, u32, 0).store(1, lsa.pointer(win, u32, 0, next).load(0));
    },
  );

/** Rank 0 stores a number and signals; rank 1 waits, and loads the number. */
const signals = (given: 'thread' | 'device' | 'system', required: 'device' | 'system') =>
  kernel(
    { name: `signals_${given}_${required}`, use: { lsa, gin, teamWorld, GIVEN: given, REQUIRED: required }, params },
    ({ lsa, gin, teamWorld, GIVEN, REQUIRED, coopThread, u32 }, { comm, win }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        lsa.localPointer(win, u32, 0).store(0, 9);
        net.signal(teamWorld(comm), 1, gin.weakSignalInc(0), { givenRelease: GIVEN, requiredRelease: REQUIRED });
      } else {
        net.waitSignal(coopThread(), 0, 1);
        lsa.localPointer(win, u32, 0).store(1, lsa.pointer(win, u32, 0, 0).load(0));
      }
    },
  );

const verdictOf = async (one: ReturnType<typeof meets>): Promise<string> => {
  const program = hosts(async (comm) => {
    const win = await comm.allocWindow('u32', 4);
    const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 });
    await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, win });
    await comm.synchronize();
  });
  return (await check({ ranks: 2 }, program)).verdict;
};

describe('what the network releases', () => {
  it.each([
    ['relaxed', 'race'],
    ['acquire', 'race'],
    ['acq_rel', 'clean'],
  ] as const)('a barrier with order %s is no more than that: %s', async (order, verdict) => {
    expect(await verdictOf(meets(order))).toBe(verdict);
  });

  it.each([
    ['thread', 'system', 'clean'],
    ['device', 'system', 'clean'],
    ['device', 'device', 'race'],
    ['system', 'device', 'race'],
    ['system', 'system', 'race'],
  ] as const)('a signal that is told %s of %s releases the rest alone: %s', async (given, required, verdict) => {
    expect(await verdictOf(signals(given, required))).toBe(verdict);
  });
});
