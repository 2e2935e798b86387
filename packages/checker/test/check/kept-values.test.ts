import { check, explore } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, llA2ACalcSlots, llA2ACreateRequirement, llA2AHandle, team, window } from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

function program(run: (comm: Communicator) => Promise<unknown>): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    const world = await World.open({ backend });
    await world.run(run);
    await world.close();
  };
}

const once = { strategy: 'exhaustive', bound: 0 } as const;

/** Each rank sends the others a number in each epoch, and sums the received numbers. */
const sums = kernel(
  { name: 'sums', use: { llA2A, lsa }, params: { comm: devComm, team, handle: llA2AHandle, out: window, epochs: u32 } },
  ({ llA2A, lsa, coopCta, i32, u32 }, { comm, team, handle, out, epochs }) => {
    const session = llA2A.session(coopCta(), comm, team, handle, 0, team.nRanks);
    let sum = u32(0);
    for (let epoch = u32(0); epoch < epochs; epoch++) {
      for (let peer = i32(0); peer < team.nRanks; peer++) {
        if (peer !== team.rank) session.send(peer, team.rank, u32(team.rank) + 1 + 10 * epoch);
      }
      for (let from = i32(0); from < team.nRanks; from++) {
        if (from !== team.rank) sum += session.recv(u32, from);
      }
      session.endEpoch(coopCta());
    }
    lsa.localPointer(out, u32, 0).store(0, sum);
  },
);

const exchange = (epochs: number, sumsOf: (rank: number, sum: number) => void) =>
  program(async (comm) => {
    const { requirement, handleOf } = llA2ACreateRequirement(1, llA2ACalcSlots(comm.nRanks, 4));
    const dev = await comm.createDevComm({ resourceRequirementsList: [requirement] });
    const [resource] = dev.plan.resources;
    if (resource === undefined) throw new Error('no resource');
    const out = await comm.allocWindow('u32', 1);
    const team = comm.teamLsa();
    await comm.launch(sums, { grid: 1, block: 1 }, { comm: dev, team, handle: handleOf(resource), out, epochs });
    sumsOf(comm.rank, (await out.read())[0] ?? 0);
  });

describe('data that carry their own flags', () => {
  it('equal the sent data, in three epochs, in all executions', async () => {
    const seen = new Set<string>();
    const run = exchange(3, (rank, sum) => seen.add(`${rank}: ${sum}`));
    const { complete, report } = await explore({ ranks: 2, mode: 'check' }, run, { runs: 5000 });
    expect({ complete, verdict: report?.verdict }).toEqual({ complete: true, verdict: 'clean' });
    expect([...seen].toSorted()).toEqual(['0: 36', '1: 33']);
  });

  it('need a single run', async () => {
    const { verdict, proves } = await check(
      { ranks: 4, ...once },
      exchange(5, () => undefined),
    );
    expect({ verdict, proves }).toEqual({ verdict: 'clean', proves: { kind: 'all schedules', count: 1 } });
  });
});

/**
 * One thread stores increasing flags. Another waits for the first, and uses the value that it read,
 * or reads again.
 */
const keeps = (again: boolean) =>
  kernel(
    { name: 'keeps', use: { lsa, AGAIN: again }, params: { win: window } },
    ({ lsa, AGAIN, blockIdx, localArray, waitUntil, u32 }, { win }) => {
      const words = lsa.localPointer(win, u32, 0);
      const seen = localArray(u32, 1);
      if (blockIdx.x === 0) {
        words.store(0, 1, 'release', 'device');
        waitUntil(() => words.load(1, 'acquire', 'device') === 1);
        words.store(0, 2, 'release', 'device');
      } else {
        waitUntil(() => {
          const flag = words.load(0, 'relaxed', 'device');
          seen[0] = flag;
          return flag === 1;
        });
        if (AGAIN) seen[0] = words.load(0, 'relaxed', 'device');
        words.store(1, 1, 'relaxed', 'device');
        words.store(2, seen.load(0));
      }
    },
  );

describe('a word that a wait has read', () => {
  const run = (again: boolean, found: (word: number) => void) =>
    program(async (comm) => {
      const win = await comm.allocWindow('u32', 3);
      await win.write(new Uint32Array(3));
      await comm.launch(keeps(again), { grid: 2, block: 1 }, { win });
      found((await win.read())[2] ?? 0);
    });

  it.each([
    [false, [1], 'all schedules'],
    [true, [1, 2], 'nothing'],
  ] as const)(
    'keeps the value that was read, but may differ if it is loaded again (%s)',
    async (again, all, proves) => {
      const seen = new Set<number>();
      const explored = await explore(
        { ranks: 1, mode: 'check' },
        run(again, (word) => seen.add(word)),
        { runs: 5000 },
      );
      expect({ complete: explored.complete, seen: [...seen].toSorted((a, b) => a - b) }).toEqual({
        complete: true,
        seen: all,
      });
      expect(
        (
          await check(
            { ranks: 1, ...once },
            run(again, () => undefined),
          )
        ).proves.kind,
      ).toBe(proves);
    },
  );
});

/** Each rank waits in vain for the others, or does not wait, and reports which. */
const meets = kernel(
  { name: 'meets', use: { lsa }, params: { comm: devComm, win: window, cycles: u64 } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win, cycles }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const result = bar.sync(coopCta(), 'acq_rel', cycles);
    lsa.localPointer(win, u32, 0).store(threadIdx.x, result);
  },
);

/** Reads the clock for another purpose. */
const times = kernel({ name: 'times', use: { lsa }, params: { win: window } }, ({ lsa, clock, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(0, u32(clock()));
});

describe('a wait with a time limit', () => {
  const run = (missing: number) =>
    program(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      const win = await comm.allocWindow('u32', 2);
      if (comm.rank !== missing) await comm.launch(meets, { grid: 1, block: 2 }, { comm: dev, win, cycles: 20_000n });
      await comm.synchronize();
    });

  it.each([
    ['comes to what it waits for', -1],
    ['waits for nobody', 1],
  ])('has one outcome if it never times out too early: a wait that %s', async (_, missing) => {
    const { verdict, proves } = await check({ ranks: 2, ...once }, run(missing));
    expect({ verdict, proves }).toEqual({
      verdict: 'clean',
      proves: { kind: 'all schedules', count: 1, patient: true },
    });
  });

  it('is not the only use of the clock', async () => {
    const { proves } = await check(
      { ranks: 1, ...once },
      program(async (comm) => {
        await comm.launch(times, { grid: 1, block: 1 }, { win: await comm.allocWindow('u32', 1) });
        await comm.synchronize();
      }),
    );
    expect(proves).toMatchObject({ kind: 'nothing', bound: expect.stringContaining('depends on the clock') });
  });
});
