import { check, type HostProgram } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devCommParam, windowParam } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, test } from 'vitest';

/** Each rank writes to the next; without the barrier, its own load races. */
const pass = kernel(
  { name: 'pass', use: { lsa }, params: { comm: devCommParam, win: windowParam } },
  ({ lsa, coopCta, u32 }, { comm, win }) => {
    lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize).store(0, comm.rank);
    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
    lsa.localPointer(win, u32, 0).store(1, lsa.localPointer(win, u32, 0).load(0));
  },
);

const racy = kernel(
  { name: 'racy', use: { lsa }, params: { comm: devCommParam, win: windowParam } },
  ({ lsa, u32 }, { comm, win }) => {
    lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize).store(0, comm.rank);
    lsa.localPointer(win, u32, 0).store(1, lsa.localPointer(win, u32, 0).load(0));
  },
);

const hostOf = (launched: typeof pass) =>
  async function host(comm: Communicator): Promise<number | undefined> {
    const win = await comm.allocWindow('u32', 2);
    const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
    await comm.launch(launched, { grid: 1, block: 1 }, { comm: devComm, win });
    return (await win.read())[1];
  };

describe('check of host(comm)', () => {
  test("gives each rank's program its communicator, and finds what nccl-ts check finds", async () => {
    expect((await check({ ranks: 3 }, hostOf(pass))).verdict).toBe('clean');
    const { verdict, findings } = await check({ ranks: 3 }, hostOf(racy));
    expect(verdict).toBe('race');
    expect(findings.map(({ kind }) => kind)).toContain('race');
  });

  test('is the same with a function of a backend', async () => {
    const host = hostOf(racy);
    const byRank = await check({ ranks: 2, seed: 3 }, host);
    const byBackend = await check({ ranks: 2, seed: 3 }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(host);
    });
    expect(byRank).toEqual(byBackend);
  });

  test('takes a program that reads a member other than a method first, or catches errors', async () => {
    const ranks: number[] = [];
    await check({ ranks: 2, strategy: 'random' }, async (comm: Communicator) => {
      ranks.push(comm.rank);
      await hostOf(pass)(comm);
    });
    expect(ranks.toSorted((a, b) => a - b)).toEqual([0, 1]);
    const catching: HostProgram = async (comm) => {
      try {
        await hostOf(pass)(comm);
      } catch {
        // Its first call fails, because it gets a backend.
      }
    };
    expect((await check({ ranks: 2 }, catching)).verdict).toBe('clean');
  });

  test('gives a launch shape to programs that use it', async () => {
    const shaped: HostProgram = async (comm, { grid, block }) => {
      const win = await comm.allocWindow('u32', 2);
      const devComm = await comm.createDevComm({ lsaBarrierCount: grid });
      await comm.launch(pass, { grid: 1, block: block / 32 }, { comm: devComm, win });
    };
    expect((await check({ ranks: 2 }, shaped)).verdict).toBe('clean');
  });

  test('reports errors of the program itself, and a program that does nothing', async () => {
    const broken = async (comm: Communicator): Promise<void> => {
      await comm.allocWindow('u32', 2);
      throw new RangeError('of the program');
    };
    await expect(check({ ranks: 2 }, broken)).rejects.toThrow('of the program');
    await expect(check({ ranks: 2 }, async () => {})).rejects.toMatchObject({ code: 'NCCLTS_NO_LAUNCH' });
  });

  test('says so if a program of a backend is called with a communicator', async () => {
    const program = async (backend: unknown): Promise<void> => {
      // @ts-expect-error A caller without types passes anything.
      await World.open({ backend });
    };
    await expect(
      check({ ranks: 2 }, async (backend) => {
        await using world = await World.open({ backend });
        await world.run(program);
      }),
    ).rejects.toMatchObject({
      code: 'NCCL_INVALID_ARGUMENT',
      message: expect.stringContaining('is called once for each rank of an open world'),
    });
  });
});
