import { check, explore, type CheckOptions } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { renderReport, type CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

const params = { comm: devComm, words: window };

const polite = kernel({ name: 'polite', use: { lsa }, params }, ({ lsa, u32 }, { comm, words }) => {
  const mine = lsa.localPointer(words, u32, 0);
  const far = lsa.pointer(words, u32, 0, 1 - comm.lsaRank);
  let entered = false;
  while (!entered) {
    mine.store(0, 1, 'seq_cst');
    if (far.load(0, 'seq_cst') === 0) entered = true;
    else mine.store(0, 0, 'seq_cst');
  }
});

const tries = kernel({ name: 'tries', use: { lsa }, params }, ({ lsa, u32 }, { comm, words }) => {
  const mine = lsa.localPointer(words, u32, 0);
  if (comm.lsaRank === 0) while (mine.atomicCas(0, 5, 5, 'acquire') !== 5);
});

const adds = kernel({ name: 'adds', use: { lsa }, params }, ({ lsa, u32 }, { comm, words }) => {
  const mine = lsa.localPointer(words, u32, 0);
  if (comm.lsaRank === 0) while (mine.atomicAdd(0, 0, 'acquire') !== 5);
});

const pauses = kernel({ name: 'pauses', use: { lsa }, params }, ({ lsa, clock, u32 }, { comm, words }) => {
  const mine = lsa.localPointer(words, u32, 0);
  if (comm.lsaRank === 0) {
    let seen = mine.load(0, 'acquire');
    while (seen !== 5) {
      const until = clock() + 10;
      while (clock() < until);
      seen = mine.load(0, 'acquire');
    }
  }
});

const plain = kernel({ name: 'plain', use: { lsa }, params }, ({ lsa, u32 }, { comm, words }) => {
  if (comm.lsaRank === 0) while (lsa.localPointer(words, u32, 0).load(0) !== 5);
});

/** Gives up after some time, so it does not hang. */
const patient = kernel({ name: 'patient', use: { lsa }, params }, ({ lsa, clock, u32 }, { comm, words }) => {
  const mine = lsa.localPointer(words, u32, 0);
  if (comm.lsaRank === 0) {
    const begin = clock();
    let late = false;
    while (mine.load(0, 'acquire') !== 5 && !late) late = clock() - begin > 1_000_000_000;
  }
});

/** The other rank raises the flag. */
const meets = (how: 'add' | 'exchange' | 'or' | 'load') =>
  kernel({ name: `meets_${how}`, use: { lsa, how }, params }, ({ lsa, how, u32 }, { comm, words }) => {
    const flag = lsa.pointer(words, u32, 0, 0);
    if (comm.lsaRank === 1) {
      lsa.pointer(words, u32, 4, 0).store(0, 7);
      flag.store(0, 1, 'release');
    } else {
      if (how === 'add') while (flag.atomicAdd(0, 0, 'acquire') !== 1);
      if (how === 'or') while (flag.atomicOr(0, 0, 'acquire') !== 1);
      if (how === 'exchange') while (flag.atomicExch(0, 0, 'acquire') !== 1);
      if (how === 'load') while (flag.load(0, 'acquire') !== 1);
      lsa.localPointer(words, u32, 8).store(0, lsa.localPointer(words, u32, 4).load(0));
    }
  });

type Checked = typeof polite;

function launchOf(code: Checked, block = 1): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const words = await comm.allocWindow('u32', 16);
      await words.write(Array.from({ length: 16 }, () => 0));
      const dev = await comm.createDevComm({});
      await comm.launch(code, { grid: 1, block }, { comm: dev, words });
      await comm.synchronize();
    });
  };
}

function checkKernel(code: Checked, options: Omit<CheckOptions, 'ranks'>): ReturnType<typeof check> {
  return check({ ranks: 2, ...options }, launchOf(code));
}

/** The report of the graph engine alone. */
async function exploredReport(code: Checked, block = 1): Promise<CheckReport> {
  const { report } = await explore({ ranks: 2, mode: 'check' }, launchOf(code, block), { runs: 50 });
  if (report === undefined) throw new Error('an exploration with a check has a report');
  return report;
}

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

describe('a loop that makes no progress', () => {
  it.each(
    [polite, adds, pauses]
      .flatMap((code) => (['random', 'pct', 'late'] as const).map((strategy) => ({ code, strategy })))
      .filter((_, i) => (i % 4 === 0) !== inject('slow')),
  )('is a livelock that names its line: $code.name under $strategy', async ({ code, strategy }) => {
    const report = await checkKernel(code, { strategy });
    expect(report.verdict).toBe('deadlock');
    const finding = report.findings.find(({ kind }) => kind === 'deadlock');
    expect(finding?.deadlock?.livelock).toBe(true);
    expect(finding?.deadlock?.waiting.map(({ kind, rank, cta, threads }) => ({ kind, rank, cta, threads }))).toEqual([
      { kind: 'spin', rank: expect.any(Number), cta: 0, threads: [0] },
    ]);
    expect(finding?.deadlock?.waiting[0]?.place?.text).toContain('while');
    expect(finding?.deadlock?.waiting[0]?.words).toHaveLength(1);
  });

  it('is reported with the threads, the loops and the words', async () => {
    const texts: string[] = [];
    for (const code of [polite, adds]) texts.push(renderReport(await checkKernel(code, { strategy: 'random' })));
    const text = texts.join('\n\n').replaceAll(/(-->|:::) .*hangs/g, '$1 hangs');
    await expect(text).toMatchFileSnapshot('snapshots/livelocks.txt');
  });

  it('is not a livelock if the clock ends it', async () => {
    expect((await checkKernel(patient, { strategy: 'random' })).verdict).toBe('clean');
  });

  it.each([tries, adds, pauses, plain].filter(isNow))('is reported by the exhaustive engine: $name', async (code) => {
    expect((await exploredReport(code)).verdict).toBe('deadlock');
    expect((await checkKernel(code, { strategy: 'exhaustive', bound: 50 })).verdict).toBe('deadlock');
  });
});

describe('a spinning loop', () => {
  it.each((['add', 'exchange', 'or', 'load'] as const).filter(isNow))(
    'ends in the exhaustive engine because of %s',
    async (how) => {
      const report = await checkKernel(meets(how), { strategy: 'exhaustive', bound: 500 });
      expect(report.verdict).toBe('clean');
      expect(report.proves.kind).toBe('all schedules');
    },
  );
});

/** Two threads of one CTA wait for a flag and for each other; the other rank has ended. */
const left = kernel(
  { name: 'left', use: { lsa }, params },
  ({ lsa, waitUntil, coopCta, threadIdx, u32 }, { comm, words }) => {
    const mine = lsa.localPointer(words, u32, 0);
    if (comm.lsaRank === 0) {
      if (threadIdx.x === 0) waitUntil(() => mine.load(0, 'acquire') >= 3);
      coopCta().sync();
    } else if (threadIdx.x === 0) lsa.pointer(words, u32, 0, 0).store(0, 2, 'release');
  },
);

describe('a deadlock', () => {
  it('is reported with the waits, the words and the awaited values in the exhaustive engine', async () => {
    const text = renderReport(await exploredReport(left, 2)).replaceAll(/(-->|:::) .*hangs/g, '$1 hangs');
    await expect(text).toMatchFileSnapshot('snapshots/exhaustive-deadlock.txt');
  });
});

describe('a loop that repeats a compare-and-swap', () => {
  it.each((['random', 'pct', 'late'] as const).filter(isNow))(
    'waits for the expected value, in vain under %s',
    async (strategy) => {
      const report = await checkKernel(tries, { strategy });
      expect(report.verdict).toBe('deadlock');
      const finding = report.findings.find(({ kind }) => kind === 'deadlock');
      expect(finding?.deadlock?.livelock).toBeUndefined();
      expect(finding?.deadlock?.waiting.map(({ kind, rank, cta, threads }) => ({ kind, rank, cta, threads }))).toEqual([
        { kind: 'wait', rank: expect.any(Number), cta: 0, threads: [0] },
      ]);
      expect(finding?.deadlock?.waiting[0]?.place?.text).toContain('while');
      expect(finding?.deadlock?.waiting[0]?.words).toHaveLength(1);
    },
  );
});
