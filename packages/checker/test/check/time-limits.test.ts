import { check, type CheckOptions } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, waitInTime, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const params = { comm: devComm, win: window };

/** Ranks store to their peer, and synchronize: rank 1 without a limit, rank 0 with one. */
const meeting = (IGNORES: boolean, FAILS: boolean) =>
  kernel(
    { name: `meeting_${IGNORES}_${FAILS}`, use: { lsa, IGNORES, FAILS }, params },
    ({ lsa, coopCta, assert, u32, IGNORES, FAILS }, { comm, win }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      if (comm.rank === 0) lsa.pointer(win, u32, 0, 1).store(0, 5);
      else lsa.pointer(win, u32, 0, 0).store(0, 7);
      let mayRead = true;
      if (comm.rank === 0) {
        const outcome = bar.sync(coopCta(), 'acq_rel', 4000);
        if (FAILS) assert(outcome === 0, 'the peer has not come');
        mayRead = IGNORES || outcome === 0;
      } else bar.sync(coopCta(), 'acq_rel');
      if (mayRead) lsa.localPointer(win, u32, 4).store(0, lsa.localPointer(win, u32, 0).load(0));
    },
  );

const asks = { obeys: meeting(false, false), ignores: meeting(true, false), fails: meeting(true, true) };

async function checked(code: keyof typeof asks, options: Partial<CheckOptions> = {}): Promise<CheckReport> {
  return check({ ranks: 2, ...options }, async (backend) => {
    const world = await World.open({ backend });
    try {
      await world.run(async (comm) => {
        const win = await comm.allocWindow('u32', 2);
        await win.write([0, 0]);
        const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
        await comm.launch(asks[code], { grid: 1, block: 1 }, { comm: dev, win });
        await comm.synchronize();
      });
    } finally {
      await world.close();
    }
  });
}

describe('time limits that expire', () => {
  it("a race follows a wait whose outcome is ignored, and replaying the finding's schedule reproduces it", async () => {
    const { verdict, findings } = await checked('ignores');
    expect(verdict).toBe('race');
    const { strategy, seed, choices } = findings[0]?.schedule ?? {};
    expect(strategy).toBe('hasty');
    const again = await checked('ignores', { strategy: 'hasty', seed: seed ?? -1 });
    expect(again.findings.map(({ message }) => message)).toEqual(findings.map(({ message }) => message));
    const replayed = await checked('ignores', { strategy: 'replay', replay: choices ?? '' });
    expect(replayed.verdict).toBe('race');
  });

  it.for(slow)('other strategies never let a limit expire while a peer can still arrive', async () => {
    for (const strategy of ['random', 'pct', 'late'] as const)
      expect((await checked('ignores', { strategy, schedules: 3 })).verdict).toBe('clean');
  });

  it.for(slow)('a kernel that gives up, and a kernel that fails afterwards, are both correct', async () => {
    expect(await checked('obeys')).toMatchObject({ verdict: 'clean', proves: { patient: true } });
    expect((await checked('fails')).verdict).toBe('clean');
    expect((await checked('fails', { strategy: 'hasty', schedules: 4, seed: 64 })).verdict).toBe('clean');
  });

  it('a program that runs without a check takes its time limits from the clock', async () => {
    const world = await World.open({ backend: sim({ ranks: 2, strategy: 'hasty' }) });
    const results = await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 2);
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(asks.ignores, { grid: 1, block: 1 }, { comm: dev, win });
      return win.read();
    });
    await world.close();
    expect(results.map((words) => words[1])).toEqual([7, 5]);
  });
});

/** Rank 0 waits with a limit for a word that nobody stores. Rank 1 waits until rank 0 continues. */
const lonely = kernel(
  { name: 'lonely', use: { lsa, waitInTime }, params },
  ({ lsa, clock, u32, waitInTime }, { comm, win }) => {
    const mine = lsa.localPointer(win, u32, 0);
    const isSet = (): boolean => mine.load(0, 'acquire', 'system') === 1;
    if (comm.rank === 1) waitInTime(isSet, clock(), 1_000_000);
    else {
      waitInTime(isSet, clock(), 100);
      lsa.pointer(win, u32, 0, 1).store(0, 1, 'release', 'system');
    }
  },
);

it.each(['auto', 'exhaustive'] as const)(
  'a wait that only its time limit ends is no deadlock for %s',
  async (strategy) => {
    const report = await check({ ranks: 2, ...(strategy === 'auto' ? {} : { strategy }) }, async (backend) => {
      const world = await World.open({ backend });
      await world.run(async (comm) => {
        const win = await comm.allocWindow('u32', 1);
        await win.write([0]);
        const dev = await comm.createDevComm({});
        await comm.launch(lonely, { grid: 1, block: 1 }, { comm: dev, win });
        await comm.synchronize();
      });
      await world.close();
    });
    expect(report.findings).toEqual([]);
    expect(report.verdict).toBe(strategy === 'auto' ? 'clean' : 'incomplete');
  },
);
