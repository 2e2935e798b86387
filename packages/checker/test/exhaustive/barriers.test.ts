import { explore, type Exploration } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const rounds = (count: number) =>
  kernel(
    { name: 'rounds', use: { lsa, ROUNDS: count }, params: { comm: devComm } },
    ({ lsa, ROUNDS, coopCta }, { comm }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      for (let i = 0; i < ROUNDS; i++) bar.sync(coopCta(), 'acq_rel');
    },
  );

/** Every rank adds up its share of all ranks' words and writes the sums to all ranks. */
const sums = (entry: boolean, exit: boolean) =>
  kernel(
    { name: 'sums', use: { lsa, ENTRY: entry, EXIT: exit }, params: { comm: devComm, win: window, count: u32 } },
    ({ lsa, ENTRY, EXIT, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32 }, { comm, win, count }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      if (ENTRY) bar.sync(coopCta(), 'acquire');
      const nRanks = comm.lsaSize;
      const n = blockDim.x * gridDim.x * nRanks;
      for (let o = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks); o < count; o += n) {
        let v = u32(0);
        for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, u32, 0, peer).load(o);
        for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, u32, 0, peer).store(o, v);
      }
      if (EXIT) bar.sync(coopCta(), 'release');
    },
  );

const uneven = kernel({ name: 'uneven', use: { lsa }, params: { comm: devComm } }, ({ lsa, coopCta }, { comm }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
  bar.sync(coopCta(), 'acq_rel');
  if (comm.rank === 0) bar.sync(coopCta(), 'acq_rel');
});

const rests = kernel({ name: 'rests', use: {}, params: {} }, () => {});

const asserts = kernel(
  { name: 'asserts', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, assert, waitUntil, u32 }, { comm, win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    if (comm.rank === 0) {
      words.store(0, 1, 'relaxed', 'system');
      words.store(1, 1, 'relaxed', 'system');
    } else {
      waitUntil(() => words.load(1, 'acquire', 'system') === 1);
      assert(words.load(0, 'relaxed', 'system') === 1, 'the data are there');
    }
  },
);

async function exploreWorld(
  ranks: number,
  program: (comm: Communicator) => Promise<unknown>,
): Promise<Exploration & { readonly outcomes: readonly string[] }> {
  const outcomes = new Set<string>();
  const explored = await explore(
    { ranks, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      const found = await world.run(program);
      await world.close();
      outcomes.add(found.join(' '));
    },
    { runs: 5000 },
  );
  return { ...explored, outcomes: [...outcomes].toSorted() };
}

/** Returns the values that both ranks read from `win` after one launch. */
const sumsOf = (all: ReturnType<typeof sums>, grid: number, block: number) =>
  exploreWorld(2, async (comm) => {
    const count = 2 * grid * block;
    const win = await comm.allocWindow('u32', count);
    await win.write(new Uint32Array(count).fill(comm.rank + 1));
    const dev = await comm.createDevComm({ lsaBarrierCount: grid });
    await comm.launch(all, { grid, block }, { comm: dev, win, count });
    return [...(await win.read())].join();
  });

const finds = ({ report }: Exploration): readonly string[] => [
  ...new Set(report?.findings.map(({ kind, labels }) => `${kind}: ${labels.map(({ does }) => does).join(', ')}`)),
];

const takes = kernel(
  { name: 'takes', use: { lsa }, params: { comm: devComm, from: window, to: window } },
  ({ lsa, u32 }, { comm, from, to }) => {
    lsa.pointer(to, u32, 0, comm.rank).store(0, lsa.pointer(from, u32, 0, 1 - comm.rank).load(0));
  },
);

describe('programs of ranks that run one after the other, in every execution', () => {
  it.each([
    [true, 'clean', '1 0'],
    [false, 'race', undefined],
  ] as const)('the second one sees the writes of the first: %s, %s', async (apart, verdict, wanted) => {
    const outcomes = new Set<string>();
    const { complete, report } = await explore(
      { ranks: 2, mode: 'check' },
      async (backend) => {
        await using world = await World.open({ backend });
        const made = await world.run(async (comm) => ({
          from: await comm.allocWindow('u32', 1),
          to: await comm.allocWindow('u32', 1),
          dev: await comm.createDevComm({}),
        }));
        const write = async ({ rank }: Communicator): Promise<void> => made[rank]?.from.write(Uint32Array.of(rank));
        const take = async (comm: Communicator): Promise<number | undefined> => {
          const own = made[comm.rank];
          if (own === undefined) return undefined;
          await comm.launch(takes, { grid: 1, block: 1 }, { comm: own.dev, from: own.from, to: own.to });
          return (await own.to.read())[0];
        };
        // A launch comes first, and from then on every copy by a host is an access.
        await world.run(take);
        if (apart) await world.run(write);
        const found = await world.run(async (comm) => {
          if (!apart) await write(comm);
          return take(comm);
        });
        outcomes.add(found.join(' '));
      },
      { runs: 500 },
    );
    expect(complete).toBe(true);
    expect(report?.verdict).toBe(verdict);
    if (wanted !== undefined) expect([...outcomes]).toEqual([wanted]);
  });
});

describe('barriers, in every execution', () => {
  it.each([
    [2, 1],
    [2, 2],
    [3, 1],
    [4, 1],
  ])('an LSA barrier of %i ranks, %i rounds, is clean', { timeout: 60_000 }, async (ranks, count) => {
    const barrier = rounds(count);
    const explored = await exploreWorld(ranks, async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(barrier, { grid: 1, block: 1 }, { comm: dev });
      await comm.synchronize();
    });
    expect(explored.complete).toBe(true);
    expect(explored.report?.verdict).toBe('clean');
  });

  it.each([
    [1, 1],
    [2, 2],
  ])(
    'sums between an entry and an exit barrier are right: %i CTAs of %i threads',
    { timeout: 60_000 },
    async (grid, block) => {
      const explored = await sumsOf(sums(true, true), grid, block);
      const right = Array.from({ length: 2 * grid * block }, () => 3).join();
      expect(explored.outcomes).toEqual([`${right} ${right}`]);
      expect(explored.complete).toBe(true);
      expect(explored.report?.verdict).toBe('clean');
    },
  );

  it(
    'without the exit barrier, a host may read data that the other rank still writes',
    { timeout: 60_000 },
    async () => {
      const explored = await sumsOf(sums(true, false), 1, 1);
      expect(explored.complete).toBe(true);
      expect(explored.outcomes).toEqual(['3,1 2,3', '3,1 3,3', '3,3 2,3', '3,3 3,3']);
      expect(finds(explored)).toEqual(['race: host read, store']);
    },
  );

  it('a rank that waits for a missing rank is a deadlock', { timeout: 60_000 }, async () => {
    const explored = await exploreWorld(2, async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(uneven, { grid: 1, block: 1 }, { comm: dev });
      await comm.synchronize();
    });
    expect(explored.complete).toBe(true);
    expect(finds(explored)).toEqual(['deadlock: ']);
    const groups = explored.report?.findings.flatMap(({ deadlock }) => deadlock?.waiting ?? []);
    expect(groups?.map(({ kind }) => kind)).toContain('wait');
  });

  it('an assertion that only a stale value violates fails', { timeout: 60_000 }, async () => {
    const explored = await exploreWorld(2, async (comm) => {
      const win = await comm.allocWindow('u32', 2);
      await comm.launch(asserts, { grid: 1, block: 1 }, { comm: await comm.createDevComm({}), win });
      await comm.synchronize();
    });
    expect(explored.complete).toBe(true);
    expect(explored.outcomes).toEqual([' ']);
    expect(explored.report?.findings.map(({ kind, fault }) => [kind, fault?.message])).toEqual([
      ['fault', 'the data are there'],
    ]);
  });

  it('an error that the host program throws in an execution is reported, and nothing else', async () => {
    const reads = (expected: readonly number[]) =>
      exploreWorld(1, async (comm) => {
        const win = await comm.allocWindow('u32', 1);
        await win.write(Uint32Array.of(7));
        await comm.launch(rests, { grid: 1, block: 1 }, {});
        const [word = 0] = await win.read();
        if (!expected.includes(word)) throw new Error(`found ${word}`);
      });
    await expect(reads([7])).resolves.toMatchObject({ complete: true });
    await expect(reads([8])).rejects.toThrow('found 7');
  });
});
