import { check, explore } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const params = { comm: devComm, win: window };

/**
 * The plain load after the branch is numbered after or before the next access, depending on the
 * value that was read.
 */
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

/** Rank 1 changes its own plain 1 to 2, and rank 0 waits for the 2. */
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

/** Rank 1 stores the value for which rank 0 waits, and overwrites half of it with another value. */
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

/**
 * Rank 1 accesses a word and then stores the value for which rank 0 waits. Rank 0 then stores to
 * the word with a plain store.
 */
const beforeTheSeen = {
  'a strong load': kernel({ name: 'loads_first', use: { lsa }, params }, ({ lsa, waitUntil, u32 }, { comm, win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    if (comm.rank === 1) {
      words.load(0, 'relaxed', 'system');
      words.store(0, 7, 'relaxed', 'system');
    } else {
      waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
      words.store(0, 1);
    }
  }),
  'a strong store': kernel({ name: 'stores_first', use: { lsa }, params }, ({ lsa, waitUntil, u32 }, { comm, win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    if (comm.rank === 1) {
      words.store(0, 3, 'relaxed', 'system');
      words.store(0, 7, 'relaxed', 'system');
    } else {
      waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
      words.store(0, 1);
    }
  }),
  'a read-modify-write alone': kernel(
    { name: 'adds_first', use: { lsa }, params },
    ({ lsa, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.rank === 1) {
        words.atomicAdd(0, 7, 'relaxed', 'system');
      } else {
        waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
        words.store(0, 1);
      }
    },
  ),
  'a load and a read-modify-write': kernel(
    { name: 'loads_and_adds', use: { lsa }, params },
    ({ lsa, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.rank === 1) {
        words.load(0, 'acquire', 'system');
        words.atomicAdd(0, 7, 'relaxed', 'system');
      } else {
        waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
        words.store(0, 1);
      }
    },
  ),
  'two read-modify-writes': kernel(
    { name: 'adds_twice', use: { lsa }, params },
    ({ lsa, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.rank === 1) {
        words.atomicAdd(0, 3, 'relaxed', 'system');
        words.atomicAdd(0, 4, 'relaxed', 'system');
      } else {
        waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
        words.store(0, 1);
      }
    },
  ),
  'a store released by another thread': kernel(
    { name: 'released_first', use: { lsa }, params },
    ({ lsa, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.rank === 2) {
        words.load(0, 'relaxed', 'system');
        words.store(0, 3, 'relaxed', 'system');
        words.store(1, 1, 'release', 'system');
      } else if (comm.rank === 1) {
        waitUntil(() => words.load(1, 'acquire', 'system') === 1);
        words.store(0, 7, 'relaxed', 'system');
      } else {
        waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
        words.store(0, 1);
      }
    },
  ),
  'a load of a narrower scope': kernel(
    { name: 'loads_near', use: { lsa }, params },
    ({ lsa, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.rank === 1) {
        words.load(0, 'relaxed', 'block');
        words.store(0, 7, 'relaxed', 'system');
      } else {
        waitUntil(() => words.load(0, 'relaxed', 'system') === 7);
        words.store(0, 1);
      }
    },
  ),
  'a load, with release': kernel(
    { name: 'loads_and_releases', use: { lsa }, params },
    ({ lsa, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.rank === 1) {
        words.load(0, 'relaxed', 'system');
        words.store(0, 7, 'release', 'system');
      } else {
        waitUntil(() => words.load(0, 'acquire', 'system') === 7);
        words.store(0, 1);
      }
    },
  ),
};

const launches =
  (one: typeof branch) =>
  async (comm: Communicator): Promise<void> => {
    const win = await comm.allocWindow('u32', 4);
    const dev = await comm.createDevComm({
      ginConnectionType: 'full',
      ginContextCount: 1,
      ginSignalCount: 1,
      ginCounterCount: 1,
    });
    await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, win });
    await comm.synchronize();
  };

/** A strong signal covers earlier requests. It covers the put of the other block only by chance. */
const coversByChance = kernel(
  { name: 'covers_by_chance', use: { gin, teamWorld }, params },
  ({ gin, teamWorld, coopThread, blockIdx }, { comm, win }) => {
    const net = gin.context(comm, 0);
    if (blockIdx.x === 1) {
      net.put(teamWorld(comm), 0, win, 0, win, 8, 4);
    } else {
      net.signal(teamWorld(comm), 0, gin.strongSignalInc(0));
      net.waitSignal(coopThread(), 0, 1, { order: 'acquire' });
    }
  },
);

/** Does the same with two threads of one block. */
const coversNeighbour = kernel(
  { name: 'covers_neighbour', use: { gin, teamWorld }, params },
  ({ gin, teamWorld, coopThread, threadIdx, u32 }, { comm, win }) => {
    const net = gin.context(comm, 0);
    if (threadIdx.x === 0) {
      net.putValue(teamWorld(comm), 0, win, 8, u32(1));
    } else {
      net.signal(teamWorld(comm), 0, gin.strongSignalInc(0));
      net.waitSignal(coopThread(), 0, 1, { order: 'acquire' });
    }
  },
);

/** The put is posted before the signal in every schedule. */
const coversOwn = kernel(
  { name: 'covers_own', use: { gin, teamWorld }, params },
  ({ gin, teamWorld, coopCta, coopThread, threadIdx, u32 }, { comm, win }) => {
    const net = gin.context(comm, 0);
    if (threadIdx.x === 0) net.putValue(teamWorld(comm), 0, win, 8, u32(1));
    coopCta().sync();
    if (threadIdx.x === 1) {
      net.signal(teamWorld(comm), 0, gin.strongSignalInc(0));
      net.waitSignal(coopThread(), 0, 1, { order: 'acquire' });
    }
  },
);

/** Rank 1 puts with a signal, and rank 0 signals itself. It waits for one of them, or both. */
const signalsItself = (least: number) =>
  kernel(
    { name: `signals_itself_${least}`, use: { gin, teamWorld, LEAST: least }, params },
    ({ gin, teamWorld, LEAST, coopThread }, { comm, win }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        net.signal(teamWorld(comm), 0, gin.strongSignalInc(0));
        net.flush(coopThread());
        net.waitSignal(coopThread(), 0, LEAST);
      } else net.put(teamWorld(comm), 0, win, 0, win, 8, 4, gin.strongSignalInc(0));
    },
  );

/** One block loads a word and then signals. The other waits for that, and stores to the word. */
const loadsAndSignals = kernel(
  { name: 'loads_and_signals', use: { lsa, gin, teamWorld }, params },
  ({ lsa, gin, teamWorld, coopThread, blockIdx, u32 }, { comm, win }) => {
    const words = lsa.localPointer(win, u32, 0);
    const net = gin.context(comm, 0);
    if (blockIdx.x === 0) {
      words.store(1, words.load(0));
      net.signal(teamWorld(comm), 0, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
      words.store(0, 1);
    }
  },
);

/** One block waits for a 1 and makes it a 2, while the other stores the 1 again. */
const addsAndStores = kernel(
  { name: 'adds_and_stores', use: { lsa }, params },
  ({ lsa, blockIdx, waitUntil, u32 }, { win }) => {
    const words = lsa.localPointer(win, u32, 0);
    if (blockIdx.x === 0) {
      waitUntil(() => words.load(0, 'acquire', 'system') === 1);
      words.atomicAdd(0, 1, 'release', 'system');
    } else {
      words.atomicAdd(0, 1, 'release', 'system');
      words.store(0, 1);
    }
  },
);

/** One CTA stores plainly to a flag, and another waits for it with loads of this scope. */
const waitsFor = (scope: 'block' | 'device') =>
  kernel(
    { name: `waits_for_${scope}`, use: { lsa, SCOPE: scope }, params },
    ({ lsa, SCOPE, blockIdx, waitUntil, u32 }, { win }) => {
      const words = lsa.localPointer(win, u32, 0);
      if (blockIdx.x === 0) words.store(0, 1);
      else waitUntil(() => words.load(0, 'acquire', SCOPE) === 1);
    },
  );

/** Rank 0 waits for a word which rank 1 puts there, and in which rank 2 stores the same value. */
const putsAndStores = kernel(
  { name: 'puts_and_stores', use: { lsa, gin, teamWorld }, params },
  ({ lsa, gin, teamWorld, coopThread, waitUntil, u32 }, { comm, win }) => {
    const words = lsa.pointer(win, u32, 0, 0);
    const net = gin.context(comm, 0);
    if (comm.rank === 0) waitUntil(() => words.load(0, 'acquire', 'system') !== 0);
    if (comm.rank === 2) words.store(0, 1);
    if (comm.rank === 1) {
      net.putValue(teamWorld(comm), 0, win, 0, u32(1));
      net.flush(coopThread());
    }
  },
);

/** A counter of the second put, after which the source of the first is stored to. */
const countsOther = kernel(
  { name: 'counts_other', use: { lsa, gin, teamWorld }, params },
  ({ lsa, gin, teamWorld, coopThread, u32 }, { comm, win }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, win, 0, win, 8, 4);
      net.put(teamWorld(comm), 1, win, 4, win, 12, 4, undefined, { localAction: gin.weakCounterInc(0) });
      net.waitCounter(coopThread(), 0, 1);
      const words = lsa.localPointer(win, u32, 0);
      words.store(2, 1);
      words.store(3, 1);
      net.flush(coopThread());
    }
  },
);

/** Rank 1 stores to the source of a get of rank 0, once it has seen a later signal of rank 0. */
const getsAndSignals = kernel(
  { name: 'gets_and_signals', use: { lsa, gin, teamWorld }, params },
  ({ lsa, gin, teamWorld, coopThread, u32 }, { comm, win }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.get(teamWorld(comm), 1, win, 8, win, 0, 4);
      net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
      net.flush(coopThread());
    } else {
      net.waitSignal(coopThread(), 0, 1, { order: 'acquire' });
      lsa.localPointer(win, u32, 0).store(2, 1);
    }
  },
);

/** Returns the locations of the racing accesses. */
function pairs({ findings }: CheckReport): readonly string[] {
  const races = findings.filter(({ kind, severity }) => kind === 'race' && severity === 'error');
  const sides = races.map(({ labels }) => labels.map(({ place }) => `${place?.line}:${place?.column}`).toSorted());
  return sides.map((side) => side.join(' ')).toSorted();
}

const programOf =
  (one: typeof branch): Parameters<typeof explore>[1] =>
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

const overlaps = [
  ['onto itself', 0, 0, 4],
  ['onto a part of itself', 0, 4, 8],
] as const;

describe('all engines name the same racing pairs', () => {
  it.for(slow)('if a pair races only in some executions, which reach its accesses in another order', async () => {
    const { graph, random } = await racesOf(branch, 2);
    expect(graph).toHaveLength(3);
    expect(random).toEqual(graph);
  });

  it.each(overlaps.filter((_, i) => (i === 0) !== inject('slow')))(
    'of a put %s, which may write before it has read everything',
    async (_, from, to, bytes) => {
      const { graph, counted, random, late } = await racesOf(moves(from, to, bytes), 1);
      expect(graph).toHaveLength(1);
      expect(counted).toEqual(graph);
      expect(random).toEqual(graph);
      expect(late).toEqual(graph);
    },
  );

  it.for(quick)('and report no race of a put with itself', async () => {
    const found = await racesOf(moves(0, 8, 8), 1);
    expect(found).toEqual({ graph: [], counted: [], random: [], late: [] });
  });

  it.for(quick)('of a get whose source changes after a later strong signal, which covers puts alone', async () => {
    const { graph, counted, random, late } = await racesOf(getsAndSignals, 2);
    expect(graph).toHaveLength(1);
    expect([counted, random, late]).toEqual([graph, graph, graph]);
  });

  it.for(quick)('of a put whose source changes after a wait for the counter of another', async () => {
    const { graph, counted, random, late } = await racesOf(countsOther, 2);
    expect(graph).toHaveLength(1);
    expect([counted, random, late]).toEqual([graph, graph, graph]);
  });

  it.for(slow)(
    'if a wait sees a read-modify-write, and through it the plain store whose value that has read',
    async () => {
      const { graph, random, late } = await racesOf(swaps, 2);
      expect(random).toEqual(graph);
      expect(late).toEqual(graph);
    },
  );
});

describe('all engines name the same racing pairs, if a wait sees only a write and nothing before it', () => {
  it.each(Object.entries(beforeTheSeen).filter((_, i) => (i % 4 === 0) !== inject('slow')))(
    'all engines name the same racing pairs in program %s',
    async (_, one) => {
      const { graph, counted, random, late } = await racesOf(one, one.name === 'released_first' ? 3 : 2);
      expect(counted).toEqual(graph);
      expect(random).toEqual(graph);
      expect(late).toEqual(graph);
    },
  );
});

const signals =
  (one: typeof branch, grid: number, block: number): Parameters<typeof explore>[1] =>
  async (backend) => {
    const world = await World.open({ backend });
    try {
      await world.run(async (comm) => {
        const win = await comm.allocWindow('u32', 4);
        const dev = await comm.createDevComm({ ginConnectionType: 'full', ginContextCount: 1, ginSignalCount: 1 });
        await comm.launch(one, { grid, block }, { comm: dev, win });
        await comm.synchronize();
      });
    } finally {
      await world.close();
    }
  };

describe.for(quick)('a request that a strong signal covers only by chance', () => {
  it.each([
    ['of another block', coversByChance, 2, 1],
    ['of another thread', coversNeighbour, 1, 2],
  ] as const)('is reported as pending at the end, and no run proves the opposite: %s', async (_, one, grid, block) => {
    const counted = await check({ ranks: 1, strategy: 'exhaustive', bound: 0 }, signals(one, grid, block));
    expect(counted.proves.kind).not.toBe('all schedules');
    const report = await check({ ranks: 1 }, signals(one, grid, block));
    expect(report.findings.map(({ kind }) => kind)).toEqual(['leftover']);
  });

  it('is pending if another signal may be the one that was waited for', async () => {
    const counted = await check({ ranks: 2, strategy: 'exhaustive', bound: 0 }, signals(signalsItself(1), 1, 1));
    expect(counted.proves.kind).not.toBe('all schedules');
    const report = await check({ ranks: 2 }, signals(signalsItself(1), 1, 1));
    expect(report.findings.map(({ kind }) => kind)).toContain('leftover');
    const both = await check({ ranks: 2 }, signals(signalsItself(2), 1, 1));
    expect([both.verdict, both.proves.kind]).toEqual(['clean', 'all schedules']);
  });

  it('is not reported if the block synchronizes between the two', async () => {
    const report = await check({ ranks: 1 }, signals(coversOwn, 1, 2));
    expect(report.verdict).toBe('clean');
    expect(report.proves.kind).toBe('all schedules');
  });
});

describe.for(quick)('all engines name the same severity', () => {
  const severities = (report: CheckReport | undefined): readonly string[] =>
    (report?.findings ?? []).filter(({ kind }) => kind === 'race').map(({ severity }) => severity);

  it('of a load before a signal, if a store follows a relaxed wait for that signal', async () => {
    const run = signals(loadsAndSignals, 2, 1);
    const { report } = await explore({ ranks: 1, mode: 'check' }, run, { runs: 1000 });
    expect(severities(report)).toEqual(['model']);
    const counted = await check({ ranks: 1, strategy: 'exhaustive', bound: 0 }, run);
    expect(severities(counted)).toEqual(['model']);
    expect(severities(await check({ ranks: 1, strategy: 'late', schedules: 4 }, run))).toEqual(['model']);
  });

  it('of a plain store to a flag, if a later write hides the wait that reads it', async () => {
    const run = signals(addsAndStores, 2, 1);
    const { report } = await explore({ ranks: 1, mode: 'check' }, run, { runs: 1000 });
    expect(new Set(severities(report))).toEqual(new Set(['model']));
    for (const strategy of ['random', 'pct', 'late'] as const)
      expect(severities(await check({ ranks: 1, strategy, schedules: 10 }, run))).not.toContain('error');
  });

  it.each([
    ['block', 'error'],
    ['device', 'model'],
  ] as const)('of a plain store to a flag that another CTA polls at %s scope: %s', async (scope, severity) => {
    const run = signals(waitsFor(scope), 2, 1);
    const { report } = await explore({ ranks: 1, mode: 'check' }, run, { runs: 1000 });
    expect(new Set(severities(report))).toEqual(new Set([severity]));
    const counted = await check({ ranks: 1, strategy: 'exhaustive', bound: 0 }, run);
    expect(new Set(severities(counted))).toEqual(new Set([severity]));
  });

  it('of a put and a plain store of one value to a flag, which no promise of the network orders', async () => {
    const { graph, counted, random, late } = await racesOf(putsAndStores, 3);
    expect(graph).toHaveLength(1);
    expect([counted, random, late]).toEqual([graph, graph, graph]);
  });
});

describe.for(quick)('all engines find a wait that never ends', () => {
  it('if half of the value is overwritten', async () => {
    const { report } = await explore({ ranks: 2, mode: 'check' }, programOf(overwrites), { runs: 1000 });
    expect(report?.findings.map(({ kind }) => kind)).toContain('deadlock');
    const late = await check({ ranks: 2, strategy: 'late', schedules: 4 }, programOf(overwrites));
    expect(late.findings.map(({ kind }) => kind)).toContain('deadlock');
  });
});
