import { check, explore } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { ginLitmus } from '../network/gin-litmus.ts';
import { runGinLitmus } from '../network/run-gin-litmus.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have one of 16. */
const isNow = (_: unknown, i: number): boolean => (i % 16 === 0) !== inject('slow');

/** Every rank adds up its share of all ranks' words and writes the sums to all ranks. */
const sums = (exit: boolean) =>
  kernel(
    { name: 'sums', use: { lsa, EXIT: exit }, params: { comm: devComm, win: window, count: u32 } },
    ({ lsa, EXIT, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32 }, { comm, win, count }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      bar.sync(coopCta(), 'acquire');
      const nRanks = comm.lsaSize;
      const n = blockDim.x * gridDim.x * nRanks;
      for (let o = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks); o < count; o += n) {
        let v = u32(0);
        for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, u32, 0, peer).load(o);
        for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, u32, 0, peer).store(o, v);
      }
      if (EXIT) bar.sync(coopCta(), 'acq_rel');
      // The first thread that leaves starts to clear.
      if (threadIdx.x === 0 && blockIdx.x === 0) lsa.localPointer(win, u32, 0).store(0, 0);
    },
  );

/** Each CTA takes a number and stores it. */
const tickets = kernel(
  { name: 'tickets', use: { lsa }, params: { win: window } },
  ({ lsa, blockIdx, u32 }, { win }) => {
    const words = lsa.localPointer(win, u32, 0);
    words.store(1 + blockIdx.x, words.atomicAdd(0, 1, 'relaxed', 'device'));
  },
);

/**
 * Every thread replaces x by 3 x + 1, which no single instruction does. `then` is what follows:
 * nothing, a thread records the value that it read, or a thread waits for the word.
 */
const updates = (then: 'nothing' | 'write' | 'wait', order: 'relaxed' | 'acq_rel') =>
  kernel(
    { name: `updates_${then}`, use: { lsa, THEN: then, ORDER: order }, params: { win: window } },
    ({ lsa, THEN, ORDER, threadIdx, blockIdx, blockDim, waitUntil, u32 }, { win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      let seen = words.load(0, 'relaxed');
      for (;;) {
        const before = words.atomicCas(0, seen, seen * 3 + 1, ORDER);
        if (before === seen) break;
        seen = before;
      }
      if (THEN === 'write') lsa.localPointer(win, u32, 0).store(1 + threadIdx.x + blockDim.x * blockIdx.x, seen);
      if (THEN === 'wait') waitUntil(() => words.load(0, 'acquire') >= 4);
    },
  );

/**
 * One CTA of each rank at a time does something. With `releases`, it then lets the others do so.
 */
const locks = (releases: boolean) =>
  kernel(
    { name: 'locks', use: { lsa, RELEASES: releases }, params: { win: window } },
    ({ lsa, RELEASES, u32 }, { win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      while (words.atomicCas(0, 0, 1, 'acquire') !== 0);
      words.store(1, words.load(1) * 2 + 1);
      if (RELEASES) words.atomicExch(0, 0, 'release');
    },
  );

function program(run: (comm: Communicator) => Promise<void>): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    const world = await World.open({ backend });
    await world.run(run);
    await world.close();
  };
}

describe('one run covers all runs', () => {
  const adds = (exit: boolean) =>
    program(async (comm) => {
      const count = 4096;
      const win = await comm.allocWindow('u32', count);
      await win.write(new Uint32Array(count).fill(comm.rank));
      const dev = await comm.createDevComm({ lsaBarrierCount: 8 });
      await comm.launch(sums(exit), { grid: 8, block: 64 }, { comm: dev, win, count });
      await comm.synchronize();
    });

  it.for(slow)('of a kernel that is far too large to explore', async () => {
    const report = await check({ ranks: 4, strategy: 'exhaustive', bound: 0 }, adds(true));
    expect(report).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules', count: 1 } });
  });

  it.for(slow)('of a kernel with a race', async () => {
    const { verdict, proves } = await check({ ranks: 4, strategy: 'exhaustive', bound: 0 }, adds(false));
    expect({ verdict, proves }).toEqual({ verdict: 'race', proves: { kind: 'all schedules', count: 1 } });
  });

  it('so that its findings are those of every schedule', async () => {
    const { proves, findings } = await check(
      { ranks: 2 },
      program(async (comm) => {
        const win = await comm.allocWindow('u32', 64);
        await win.write(new Uint32Array(64));
        const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
        await comm.launch(sums(false), { grid: 1, block: 32 }, { comm: dev, win, count: 64 });
        await comm.synchronize();
      }),
    );
    expect(proves).toEqual({ kind: 'all schedules', count: 1 });
    expect(findings.map(({ kind, certainty }) => ({ kind, certainty }))).toContainEqual({
      kind: 'race',
      certainty: 'every schedule',
    });
  });

  it('unless CTAs may run in any order and each can observe the order', async () => {
    const run = program(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      await win.write(new Uint32Array(4));
      await comm.launch(tickets, { grid: 2, block: 1 }, { win });
      await comm.synchronize();
    });
    const { verdict, proves } = await check({ ranks: 1, strategy: 'exhaustive', bound: 0 }, run);
    expect(verdict).toBe('incomplete');
    expect(proves).toMatchObject({ bound: expect.stringContaining('two writes may occur in either order') });
    expect((await check({ ranks: 1, strategy: 'exhaustive' }, run)).proves).toEqual({
      kind: 'all schedules',
      count: 2,
    });
  });

  const onWords = (of: ReturnType<typeof updates>, block: number): ReturnType<typeof program> =>
    program(async (comm) => {
      const win = await comm.allocWindow('u32', 64);
      await win.write(new Uint32Array(64));
      await comm.createDevComm();
      await comm.launch(of, { grid: 2, block }, { win });
      await comm.synchronize();
    });

  it('if threads apply the same function to a word, in any order', async () => {
    for (const order of ['relaxed', 'acq_rel'] as const) {
      const report = await check(
        { ranks: 2, strategy: 'exhaustive', bound: 0 },
        onWords(updates('nothing', order), 16),
      );
      expect(report).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules', count: 1 } });
    }
  });

  const results = [
    ['write', 'a load may read different writes'],
    ['wait', 'a wait may be satisfied by different values'],
  ] as const;

  it.each(results.filter(([then]) => (then === 'write') !== inject('slow')))(
    'unless they %s its result',
    async (then, why) => {
      const { verdict, proves } = await check(
        { ranks: 2, strategy: 'exhaustive', bound: 0 },
        onWords(updates(then, 'acq_rel'), 4),
      );
      expect(verdict).toBe('incomplete');
      expect(proves).toMatchObject({ bound: expect.stringContaining(why) });
    },
  );

  it.for(slow)('unless they take a lock: all runs are then explored, with any number of attempts', async () => {
    const all = await check({ ranks: 1, strategy: 'exhaustive' }, onWords(locks(true), 1));
    expect(all).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules' } });
  });

  it.for(slow)('unless a lock is never released, which is reported', async () => {
    const { report } = await explore({ ranks: 1, mode: 'check' }, onWords(locks(false), 1), { runs: 100 });
    expect(report).toMatchObject({ verdict: 'deadlock', proves: { kind: 'all schedules' } });
  });

  it.each(ginLitmus.filter(isNow))('of $id, which is clean if it can have only one outcome ($what)', async (row) => {
    const { ranks, lsaSize = 1, allowed } = row;
    const { verdict, proves } = await check({ ranks, lsaSize, strategy: 'exhaustive', bound: 0 }, async (backend) => {
      await runGinLitmus(row, backend);
    });
    if (proves.kind === 'all schedules') expect(verdict).toBe(allowed.length === 1 ? 'clean' : 'race');
  });
});

const params = { comm: devComm, src: window, x: window };
const use = { gin, lsa, teamWorld };

/** A put and a signal that covers it, and in a variant also a signal that does not. */
const puts = kernel(
  { name: 'puts', use, params: { ...params, strong: u32, wanted: u32 } },
  ({ gin, lsa, teamWorld, coopThread, u32, u64 }, { comm, src, x, strong, wanted }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      if (strong === 1) net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
      else net.signal(teamWorld(comm), 1, gin.weakSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, u64(wanted));
      lsa.localPointer(x, u32, 0).store(1, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

/** A signal that is reset after a second signal has come. Both cover puts. */
const resets = kernel({ name: 'resets', use, params }, ({ gin, teamWorld, coopThread }, { comm }) => {
  const net = gin.context(comm, 0);
  if (comm.rank === 0) {
    net.signal(teamWorld(comm), 1, gin.weakSignalInc(0));
    net.signal(teamWorld(comm), 1, gin.strongSignalInc(1));
  } else {
    net.waitSignal(coopThread(), 1, 1);
    net.resetSignal(0);
  }
});

describe('no delivery order', () => {
  const gins = async (comm: Communicator) => ({
    comm: await comm.createDevComm({ ginConnectionType: 'full', ginContextCount: 1, ginSignalCount: 2 }),
    src: await comm.allocWindow('u32', 4),
    x: await comm.allocWindow('u32', 4),
  });

  it.each(['prompt', 'random', 'late'] as const)(
    'lets a signal of an earlier launch cover a put of a later one (%s)',
    async (delivery) => {
      const report = await check(
        { ranks: 2, lsaSize: 1, gin: { delivery } },
        program(async (comm) => {
          const args = await gins(comm);
          await args.src.write(new Uint32Array(4));
          for (const wanted of [1, 2]) {
            await comm.launch(puts, { grid: 1, block: 1 }, { ...args, strong: 2 - wanted, wanted });
            await comm.synchronize();
            await comm.createDevComm({});
          }
        }),
      );
      expect(report.verdict).toBe('race');
      expect(report.findings.every(({ labels }) => labels.every(({ launch = 2 }) => launch >= 2))).toBe(true);
    },
  );

  it.each((['prompt', 'random'] as const).filter(() => inject('slow')))(
    'lets a later signal cover an earlier one (%s)',
    async (delivery) => {
      const report = await check(
        { ranks: 2, lsaSize: 1, gin: { delivery } },
        program(async (comm) => {
          await comm.launch(resets, { grid: 1, block: 1 }, await gins(comm));
          await comm.synchronize();
        }),
      );
      expect(report.verdict).toBe('race');
      expect(report.findings[0]?.message).toContain('gin.reset and a signal');
    },
  );
});

/**
 * Rank 0 puts and covers the put with a strong signal. Then it sends another signal. Rank 1 reads
 * after one of them, or after both.
 */
const overtakes = (secondIsStrong: boolean, waitsForBoth: boolean) =>
  kernel(
    { name: 'overtakes', use: { ...use, STRONG: secondIsStrong, BOTH: waitsForBoth }, params },
    ({ gin, lsa, teamWorld, STRONG, BOTH, coopThread, u32 }, { comm, src, x }) => {
      const net = gin.context(comm, 0);
      const own = lsa.localPointer(x, u32, 0);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
        net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
        if (STRONG) net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
        else net.signal(teamWorld(comm), 1, gin.weakSignalInc(0));
      } else {
        net.waitSignal(coopThread(), 0, 1);
        if (BOTH) net.waitSignal(coopThread(), 0, 2);
        own.store(1, own.load(0));
        if (!BOTH) net.waitSignal(coopThread(), 0, 2);
      }
    },
  );

describe('signals that overtake each other', () => {
  const runs = (of: ReturnType<typeof overtakes>) =>
    program(async (comm) => {
      const dev = await comm.createDevComm({
        ginConnectionType: 'full',
        ginContextCount: 1,
        ginSignalCount: 1,
        ginStrongSignalsRequired: true,
      });
      const src = await comm.allocWindow('u32', 4);
      const x = await comm.allocWindow('u32', 4);
      await src.write(new Uint32Array(4));
      await comm.launch(of, { grid: 1, block: 1 }, { comm: dev, src, x });
      await comm.synchronize();
    });
  const machine = { ranks: 2, lsaSize: 1 };

  it.each([
    ['cover the same', overtakes(true, false)],
    ['make no difference where nothing is read until all are there', overtakes(false, true)],
  ])('signals that overtake each other: %s', async (_, of) => {
    const report = await check({ ...machine, strategy: 'exhaustive', bound: 0 }, runs(of));
    expect(report).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules', count: 1 } });
  });

  it.for(slow)("do so if one does not cover the other's puts, and their effects are explored", async () => {
    const run = runs(overtakes(false, false));
    const { verdict, findings, proves } = await check({ ...machine, strategy: 'exhaustive', bound: 0 }, run);
    expect({ verdict, proves: proves.kind }).toEqual({ verdict: 'race', proves: 'portfolio' });
    const { choices = '', seed } = findings[0]?.schedule ?? { seed: 0 };
    // This is a schedule like any other.
    const again = await check({ ...machine, strategy: 'replay', seed, replay: choices }, run);
    expect(again.findings.map(({ message }) => message)).toEqual(findings.map(({ message }) => message));
    expect((await check({ ...machine, strategy: 'exhaustive' }, run)).verdict).toBe('race');
  });
});

/**
 * All threads of rank 1 read a word, and the first asks rank 0 to change it, whichever threads have
 * read it by then. It waits for more than it has read. The others record their values, or do not.
 */
const reads = (tells: boolean) =>
  kernel(
    { name: 'reads', use: { lsa, TELLS: tells }, params: { comm: devComm, win: window, out: window } },
    ({ lsa, TELLS, coopCta, threadIdx, u32 }, { comm, win, out }) => {
      const own = lsa.localPointer(win, u32, 0);
      const peer = lsa.pointer(win, u32, 0, 1 - comm.rank);
      if (comm.rank === 0) {
        coopCta().waitAll(1, (_i) => own.load(1, 'acquire', 'system') >= 1);
        coopCta().sync();
        if (threadIdx.x === 0) peer.store(0, 1, 'release', 'system');
      } else {
        const before = own.load(0, 'acquire', 'system');
        if (threadIdx.x === 0) peer.store(1, 1, 'release', 'system');
        coopCta().waitAll(1, (_i) => own.load(0, 'acquire', 'system') >= before + 1);
        if (TELLS) lsa.localPointer(out, u32, 0).store(threadIdx.x, before);
      }
    },
  );

describe('the value of a load does not matter', () => {
  const runs = (of: ReturnType<typeof reads>) =>
    program(async (comm) => {
      const win = await comm.allocWindow('u32', 2);
      const out = await comm.allocWindow('u32', 4);
      await win.write(new Uint32Array(2));
      const dev = await comm.createDevComm({});
      await comm.launch(of, { grid: 1, block: 4 }, { comm: dev, win, out });
      await comm.synchronize();
    });

  it('if the thread never uses it', async () => {
    const report = await check({ ranks: 2, strategy: 'exhaustive', bound: 0 }, runs(reads(false)));
    expect(report).toMatchObject({ verdict: 'clean', proves: { kind: 'all schedules', count: 1 } });
  });

  it.for(slow)('but does matter if it is stored', async () => {
    const { verdict, proves } = await check({ ranks: 2, strategy: 'exhaustive', bound: 0 }, runs(reads(true)));
    expect(verdict).toBe('incomplete');
    expect(proves).toMatchObject({ bound: expect.stringContaining('a load may read different writes') });
  });
});
