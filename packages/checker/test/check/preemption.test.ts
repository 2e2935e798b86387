import { check, type CheckOptions } from '@nccl-ts/checker';
import type { Strategy } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

const params = { win: window };

/**
 * The first thread of each warp adds one to rank 0's word 0: with a load and a store, or in one
 * step.
 */
const counts = (ATOMIC: boolean) =>
  kernel({ name: 'counts', use: { lsa, ATOMIC }, params }, ({ lsa, ATOMIC, threadIdx, u32 }, { win }) => {
    const count = lsa.pointer(win, u32, 0, 0);
    if (threadIdx.x % 32 === 0) {
      if (ATOMIC) count.atomicAdd(0, 1, 'relaxed');
      else count.store(0, count.load(0, 'relaxed') + 1, 'relaxed');
    }
  });

const isCounted = kernel(
  { name: 'isCounted', use: { lsa }, params: { ...params, n: u32 } },
  ({ lsa, assert, u32 }, { win, n }) => {
    assert(lsa.pointer(win, u32, 0, 0).load(0) === n, 'all are counted');
  },
);

/** A lock is taken by a read and then a write, by a wait and then a write, or in one step. */
const locks = (HOW: 'look' | 'wait' | 'cas') =>
  kernel({ name: 'locks', use: { lsa, HOW }, params }, ({ lsa, HOW, threadIdx, waitUntil, assert, u32 }, { win }) => {
    const lock = lsa.pointer(win, u32, 0, 0);
    if (threadIdx.x === 0) {
      let isMine = true;
      if (HOW === 'cas') isMine = lock.atomicCas(0, u32(0), u32(1), 'acq_rel') === 0;
      if (HOW === 'wait') waitUntil(() => lock.load(0, 'acquire') === 0);
      if (HOW === 'look') isMine = lock.load(0, 'acquire') === 0;
      if (isMine) {
        if (HOW !== 'cas') lock.store(0, 1, 'relaxed');
        assert(lock.atomicAdd(1, 1, 'relaxed') === 0, 'the lock has one owner');
        lock.atomicSub(1, 1, 'relaxed');
        lock.store(0, 0, 'release');
      }
    }
  });

/** Each thread takes a ticket and marks it as taken. */
const tickets = (ATOMIC: boolean) =>
  kernel({ name: 'tickets', use: { lsa, ATOMIC }, params }, ({ lsa, ATOMIC, threadIdx, assert, u32 }, { win }) => {
    const next = lsa.pointer(win, u32, 0, 0);
    if (threadIdx.x === 0) {
      let ticket = u32(0);
      if (ATOMIC) ticket = next.atomicAdd(0, 1, 'relaxed');
      else {
        ticket = next.load(0, 'relaxed');
        next.store(0, ticket + 1, 'relaxed');
      }
      assert(next.atomicExch(8 + ticket, 1, 'relaxed') === 0, 'each ticket is taken once');
    }
  });

/**
 * CTA 0 takes from a semaphore, and sleeps if it is empty. The other CTA adds, and wakes the
 * sleeper. Sleeping is safe only if the CTA announces it first.
 */
const sleeps = (SAFE: boolean) =>
  kernel(
    { name: 'sleeps', use: { lsa, SAFE }, params },
    ({ lsa, SAFE, threadIdx, blockIdx, waitUntil, u32 }, { win }) => {
      const count = 0;
      const sleeper = 1;
      const woken = 2;
      const words = lsa.pointer(win, u32, 0, 0);
      if (threadIdx.x === 0) {
        if (blockIdx.x === 0) {
          if (SAFE) words.store(sleeper, 1, 'seq_cst');
          if (words.load(count, 'seq_cst') === 0) {
            if (!SAFE) words.store(sleeper, 1, 'seq_cst');
            waitUntil(() => words.load(woken, 'acquire') === 1);
          }
        } else {
          words.atomicAdd(count, 1, 'seq_cst');
          if (words.load(sleeper, 'seq_cst') === 1) words.store(woken, 1, 'release');
        }
      }
    },
  );

interface Case {
  readonly of: ReturnType<typeof counts>;
  readonly ranks?: number;
  readonly streams?: number;
  readonly grid?: number;
  readonly block?: number;
  /** The final value of word 0 of rank 0. */
  readonly total?: number;
}

const verdictOf = async (one: Case, options: Pick<CheckOptions, 'strategy' | 'seed' | 'depth' | 'replay'>) => {
  const { of, ranks = 1, streams = 1, grid = 1, block = 32, total } = one;
  return check({ ranks, ...options }, async (backend) => {
    await using world = await World.open({ backend });
    const windows = await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      await win.write(new Uint32Array(64));
      return win;
    });
    const winOf = (rank: number): (typeof windows)[number] => at(windows, rank);
    await world.run(async (comm) => {
      const win = winOf(comm.rank);
      const all = [];
      for (let i = 0; i < streams; i++) all.push(await comm.createStream());
      for (const stream of all) await comm.launch(of, { grid, block, stream }, { win });
      for (const stream of all) await comm.synchronize(stream);
    });
    if (total === undefined) return;
    await world.run(async (comm) => {
      if (comm.rank !== 0) return;
      await comm.launch(isCounted, { grid: 1, block: 1 }, { win: winOf(0), n: total });
      await comm.synchronize();
    });
  });
};

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`There is no item ${index}.`);
  return item;
}

/** Returns the findings with the seeds from 1 to `to`, seed by seed. */
async function found(one: Case, strategy: Strategy, to: number): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let seed = 1; seed <= to; seed++) {
    const { verdict } = await verdictOf(one, { strategy, seed });
    if (verdict !== 'clean') seen.push(verdict);
  }
  return seen;
}

const lost = counts(false);
const kept = counts(true);

const wrong: readonly (readonly [string, Case, string])[] = [
  ['an update that two streams lose', { of: lost, streams: 2, block: 1, total: 2 }, 'fault'],
  ['an update that two CTAs of a launch lose', { of: lost, grid: 2, total: 2 }, 'fault'],
  ['an update that two warps of a CTA lose', { of: lost, block: 64, total: 2 }, 'fault'],
  ['an update that two ranks lose', { of: lost, ranks: 2, total: 2 }, 'fault'],
  ['a lock that two take by looking and then writing', { of: locks('look'), ranks: 2 }, 'fault'],
  ['a lock that two take by waiting and then writing', { of: locks('wait'), grid: 2 }, 'fault'],
  ['a ticket that two take by a load and a store', { of: tickets(false), grid: 2 }, 'fault'],
  ['a wake-up that is lost between looking and sleeping', { of: sleeps(false), grid: 2 }, 'deadlock'],
];

const right: readonly (readonly [string, Case])[] = [
  ['updates in one step of two streams', { of: kept, streams: 2, block: 1, total: 2 }],
  ['updates in one step of two CTAs and two warps of two ranks', { of: kept, ranks: 2, grid: 2, block: 64, total: 8 }],
  ['a lock that is taken in one step', { of: locks('cas'), ranks: 2 }],
  ['tickets in one step', { of: tickets(true), ranks: 2, grid: 2 }],
  ['a sleeper that says so before it looks', { of: sleeps(true), grid: 2 }],
];

const strategies: readonly Strategy[] = ['pct', 'late'];

describe.each(strategies)('%s interrupts threads between ordered accesses', (strategy) => {
  it.each(wrong.filter(isNow))('finds %s', async (_, one, verdict) => {
    const seen = await found(one, strategy, 12);
    expect(new Set(seen)).toEqual(new Set([verdict]));
  });

  it.each(right.filter(isNow))('finds no errors in %s', async (_, one) => {
    expect(await found(one, strategy, 24)).toEqual([]);
  });

  it.for(slow)('interrupts at the same statements with the same seed, and with the choices of a finding', async () => {
    const one: Case = { of: lost, grid: 2, block: 64, total: 4 };
    let replayed = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const { verdict, findings } = await verdictOf(one, { strategy, seed });
      expect((await verdictOf(one, { strategy, seed })).findings).toEqual(findings);
      const replay = findings[0]?.schedule.choices;
      if (verdict === 'clean' || replay === undefined) continue;
      const again = await verdictOf(one, { strategy: 'replay', seed, replay });
      expect(again.findings[0]?.labels).toEqual(findings[0]?.labels);
      replayed++;
    }
    expect(replayed).toBeGreaterThan(0);
  });
});

describe('other strategies', () => {
  it('random does not interrupt threads', async () => {
    expect(await found({ of: lost, streams: 2, block: 1, total: 2 }, 'random', 8)).toEqual([]);
  });

  it('pct with a depth of 1, which allows no change, does not interrupt threads', async () => {
    const one: Case = { of: lost, grid: 2, total: 2 };
    for (let seed = 1; seed <= 8; seed++) {
      expect((await verdictOf(one, { strategy: 'pct', seed, depth: 1 })).verdict).toBe('clean');
    }
  });
});
