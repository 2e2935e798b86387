import { check, explore } from '@nccl-ts/checker';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { comm: devComm, win: window };

/** Rank 1 stores a word of rank 0. */
const tells = kernel({ name: 'tells', use: { lsa }, params }, ({ lsa, u32 }, { comm, win }) => {
  if (comm.rank === 1) lsa.pointer(win, u32, 0, 0).store(1, 7);
});

/** Each rank takes a word of the other, once both have arrived. */
const takes = kernel({ name: 'takes', use: { lsa }, params }, ({ lsa, coopCta, u32 }, { comm, win }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
  bar.sync(coopCta(), 'acq_rel');
  lsa.localPointer(win, u32, 0).store(2, lsa.pointer(win, u32, 0, 1 - comm.rank).load(0));
});

type Does = (comm: Communicator, win: Window<'u32'>) => Promise<string>;

interface Found {
  readonly outcomes: readonly string[];
  readonly verdict: string | undefined;
  readonly races: readonly (readonly string[])[];
  readonly runs: number;
}

/**
 * Returns the results of both ranks' host programs in all executions. `before` runs once the window
 * exists and all hosts have synchronized.
 */
async function explored(one: typeof tells, before: Does, behind: Does = async () => ''): Promise<Found> {
  const outcomes = new Set<string>();
  const { complete, report, runs } = await explore(
    { ranks: 2, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      try {
        outcomes.add((await world.run(program(one, before, behind))).join(' '));
      } finally {
        await world.close();
      }
    },
    { runs: 500 },
  );
  expect(complete).toBe(true);
  const races = report?.findings.map(({ labels }) => labels.map(({ does }) => does));
  return { outcomes: [...outcomes].toSorted(), verdict: report?.verdict, races: races ?? [], runs };
}

const program =
  (one: typeof tells, before: Does, behind: Does) =>
  async (comm: Communicator): Promise<string> => {
    const win = await comm.allocWindow('u32', 4);
    const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
    const first = await before(comm, win);
    await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, win });
    await comm.synchronize();
    return `${first}${await behind(comm, win)}`;
  };

const writes: Does = async ({ rank }, win) => {
  if (rank === 0) await win.write(Uint32Array.of(5, 5, 5, 5));
  return '';
};

const meets: Does = async (comm) => {
  await comm.createDevComm({});
  return '';
};

describe('host copies before the first launch', () => {
  it("race with a peer's kernel, if only its launch comes after them", async () => {
    const reads: Does = async ({ rank }, win) => (rank === 0 ? [...(await win.read())].join() : '');
    const behind: Does = async (comm, win) => {
      await meets(comm, win);
      return reads(comm, win);
    };
    expect(await explored(tells, writes, behind)).toMatchObject({
      outcomes: ['5,5,5,5 ', '5,7,5,5 '],
      verdict: 'race',
      races: [['store', 'host write']],
    });
  });

  it('are visible from the start if all hosts synchronize after them', async () => {
    const found = await explored(tells, async (comm, win) => `${await writes(comm, win)}${await meets(comm, win)}`);
    expect(found).toMatchObject({ verdict: 'clean', runs: 1 });
  });

  it("may also be reads, which race with a peer's stores and may see them", async () => {
    const reads: Does = async ({ rank }, win) => (rank === 0 ? [...(await win.read())].join() : '');
    expect(await explored(tells, reads)).toMatchObject({
      outcomes: ['0,0,0,0 ', '0,7,0,0 '],
      verdict: 'race',
      races: [['store', 'host read']],
    });
    const met = await explored(tells, async (comm, win) => `${await reads(comm, win)}${await meets(comm, win)}`);
    expect(met).toMatchObject({ outcomes: ['0,0,0,0 '], verdict: 'clean' });
  });

  it('are ordered by a barrier in the kernels', async () => {
    const fills: Does = async ({ rank }, win) => {
      await win.write(Uint32Array.of(rank + 1, 0, 0, 0));
      return '';
    };
    const behind: Does = async (_, win) => [...(await win.read())].join();
    expect(await explored(takes, fills, behind)).toMatchObject({ outcomes: ['1,0,2,0 2,0,1,0'], verdict: 'clean' });
  });

  it('cost nothing if no other rank accesses them', async () => {
    const much: Does = async (comm) => {
      const own = await comm.allocWindow('u32', 100_000);
      await own.write(new Uint32Array(100_000).fill(1));
      return '';
    };
    expect(await explored(tells, much)).toMatchObject({ verdict: 'clean', runs: 1 });
  });

  it('race in a single counted run as well', async () => {
    const report = await check({ ranks: 2, strategy: 'exhaustive', bound: 0 }, async (backend) => {
      const world = await World.open({ backend });
      try {
        await world.run(program(tells, writes, async () => ''));
      } finally {
        await world.close();
      }
    });
    expect(report.verdict).toBe('race');
  });
});
