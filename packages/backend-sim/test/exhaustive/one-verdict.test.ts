import { check, explore } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { comm: devComm, win: window };

/** The plain load behind the branch is numbered after, or before, what follows: that depends on what was read. */
const branch = kernel({ name: 'branch', use: { lsa }, params }, ({ lsa, u32 }, { comm, win }) => {
  const words = lsa.pointer(win, u32, 0, 0);
  if (comm.rank === 0) {
    const first = words.load(1, 'seq_cst', 'system');
    if (first === 0) {
      const second = words.load(1);
      words.store(2, second);
    }
    words.atomicCas(1, 0, 1, 'acquire', 'system');
  } else {
    words.store(1, 1, 'relaxed', 'device');
  }
});

const moves = (from: number, to: number, bytes: number) =>
  kernel(
    { name: `moves_${from}_${to}`, use: { gin, teamWorld, FROM: from, TO: to, BYTES: bytes }, params },
    ({ gin, teamWorld, coopThread, FROM, TO, BYTES }, { comm, win }) => {
      const net = gin.context(comm, 0);
      net.put(teamWorld(comm), 0, win, TO, win, FROM, BYTES);
      net.flush(coopThread());
    },
  );

/** Rank 1 makes 2 of its own plain 1; rank 0 waits for the 2. */
const swaps = kernel({ name: 'swaps', use: { lsa }, params }, ({ lsa, waitUntil, u32 }, { comm, win }) => {
  const words = lsa.pointer(win, u32, 0, 0);
  if (comm.rank === 0) {
    waitUntil(() => words.load(0, 'relaxed', 'system') === 2);
    words.store(1, words.load(0));
  } else {
    words.store(0, 1);
    words.atomicCas(0, 1, 2, 'relaxed', 'system');
  }
});

/** Rank 1 stores the value that rank 0 waits for, and a half of another one over it. */
const overwrites = kernel(
  { name: 'overwrites', use: { lsa }, params },
  ({ lsa, waitUntil, u16, u32 }, { comm, win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    if (comm.rank === 0) {
      waitUntil(() => words.load(0, 'relaxed', 'system') === 1);
    } else {
      words.store(0, 1);
      lsa.pointer(win, u16, 0, 0).store(0, 2);
    }
  },
);

const launches =
  (one: typeof branch) =>
  async (comm: Communicator): Promise<void> => {
    const win = await comm.allocWindow('u32', 4);
    const dev = await comm.createDevComm({ ginConnectionType: 'full', ginContextCount: 1 });
    await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, win });
    await comm.synchronize();
  };

/** Where the accesses are that race. */
function pairs({ findings }: CheckReport): readonly string[] {
  const races = findings.filter(({ kind, severity }) => kind === 'race' && severity === 'error');
  const sides = races.map(({ labels }) => labels.map(({ place }) => `${place?.line}:${place?.column}`).toSorted());
  return sides.map((side) => side.join(' ')).toSorted();
}

const programOf =
  (one: typeof branch): Parameters<typeof check>[1] =>
  async (backend) => {
    const world = await World.open({ backend });
    try {
      await world.run(launches(one));
    } finally {
      await world.close();
    }
  };

async function racesOf(one: typeof branch, ranks: number): Promise<Readonly<Record<string, readonly string[]>>> {
  const run = programOf(one);
  const { report, complete } = await explore({ ranks, mode: 'check' }, run, { runs: 1000 });
  expect(complete).toBe(true);
  if (report === undefined) throw new Error('There is no report.');
  const sampled = (strategy: 'random' | 'late'): Promise<CheckReport> => check({ ranks, strategy, schedules: 4 }, run);
  return {
    graph: pairs(report),
    counted: pairs(await check({ ranks, strategy: 'exhaustive', bound: 0 }, run)),
    random: pairs(await sampled('random')),
    late: pairs(await sampled('late')),
  };
}

describe('all engines name the same racing pairs', () => {
  it('where a pair races only in some executions, and its places are come to in another order', async () => {
    const { graph, random } = await racesOf(branch, 2);
    expect(graph).toHaveLength(3);
    expect(random).toEqual(graph);
  });

  it.each([
    ['onto itself', 0, 0, 4],
    ['onto a part of itself', 0, 4, 8],
  ] as const)('of a put %s: it may write before it has read all', async (_, from, to, bytes) => {
    const { graph, counted, random, late } = await racesOf(moves(from, to, bytes), 1);
    expect(graph).toHaveLength(1);
    expect(counted).toEqual(graph);
    expect(random).toEqual(graph);
    expect(late).toEqual(graph);
  });

  it('of a put beside itself there are none', async () => {
    const found = await racesOf(moves(0, 8, 8), 1);
    expect(found).toEqual({ graph: [], counted: [], random: [], late: [] });
  });

  it('where a wait sees a read-modify-write, and with it the plain store that this has read', async () => {
    const { graph, random, late } = await racesOf(swaps, 2);
    expect(random).toEqual(graph);
    expect(late).toEqual(graph);
  });
});

describe('all engines find a wait that stands still', () => {
  it('where a half of the value is written over', async () => {
    const { report } = await explore({ ranks: 2, mode: 'check' }, programOf(overwrites), { runs: 1000 });
    expect(report?.findings.map(({ kind }) => kind)).toContain('deadlock');
    const late = await check({ ranks: 2, strategy: 'late', schedules: 4 }, programOf(overwrites));
    expect(late.findings.map(({ kind }) => kind)).toContain('deadlock');
  });
});
