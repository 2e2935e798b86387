import { check } from '@nccl-ts/checker';
import { devComm, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { hosts } from './every-engine.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const params = { comm: devComm, inbox: window, out: window };

/**
 * Rank 0 stores data of two threads and a flag. Before they synchronize, all threads fence, or only
 * one does.
 */
const fences = (WHO: 'all' | 'one' | 'none') =>
  kernel(
    { name: `fences_${WHO}`, use: { lsa, WHO }, params },
    ({ lsa, WHO, coopCta, threadIdx, fence, waitUntil, u32 }, { comm, inbox, out }) => {
      const t = threadIdx.x;
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        far.store(4 + t, 42);
        if (WHO === 'all' || (WHO === 'one' && t === 0)) fence('acq_rel', 'system');
        coopCta().sync();
        if (t === 0) far.store(0, 1, 'relaxed');
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        if (t === 0) waitUntil(() => near.load(0, 'acquire') === 1);
        coopCta().sync();
        lsa.localPointer(out, u32, 0).store(t, near.load(4 + t));
      }
    },
  );

/**
 * A line of data and flag that is stored and polled in one access. With `BESIDE`, data next to it
 * relies on the same flag.
 */
const line = (BESIDE: boolean) =>
  kernel(
    { name: `line_${BESIDE}`, use: { lsa, BESIDE }, params },
    ({ lsa, BESIDE, waitUntil, localArray, vec, lane, u32 }, { comm, inbox, out }) => {
      const V = vec(u32, 4);
      if (comm.lsaRank === 0) {
        if (BESIDE) lsa.pointer(inbox, u32, 0, 1).store(8, 42);
        lsa.pointer(inbox, V, 0, 1).store(0, V(1));
      } else {
        const near = lsa.localPointer(inbox, V, 0);
        const got = localArray(V, 1);
        waitUntil(() => {
          got[0] = near.load(0);
          return lane(got.load(0), 3) === 1;
        });
        const words = lsa.localPointer(inbox, u32, 0);
        lsa.localPointer(out, u32, 0).store(0, BESIDE ? words.load(8) : lane(got.load(0), 0));
      }
    },
  );

/**
 * Rank 1 loads what rank 0 overwrites after a wait for a relaxed flag. Rank 1 stores the flag after
 * the load, or before it. Rank 0 overwrites in the kernel, or its host does later.
 */
const ended = (LOADS: 'before' | 'after', BY: 'kernel' | 'host') =>
  kernel(
    { name: `ended_${LOADS}_${BY}`, use: { lsa, LOADS, BY }, params },
    ({ lsa, LOADS, BY, coopCta, threadIdx, waitUntil, u32 }, { comm, inbox, out }) => {
      const far = lsa.pointer(inbox, u32, 0, 0);
      if (comm.lsaRank === 1) {
        if (LOADS === 'after') far.store(0, 1, 'relaxed');
        lsa.localPointer(out, u32, 0).store(threadIdx.x, far.load(4 + threadIdx.x));
        coopCta().sync();
        if (LOADS === 'before' && threadIdx.x === 0) far.store(0, 1, 'relaxed');
      } else {
        if (threadIdx.x === 0) waitUntil(() => far.load(0, 'relaxed') === 1);
        coopCta().sync();
        if (BY === 'kernel') far.store(4 + threadIdx.x, 7);
      }
    },
  );

/**
 * Rank 0 stores data, and a flag without an order. Rank 1 waits for the flag with a strong load.
 */
const plainFlag = (SHAPE: 'flag' | 'fenced data' | 'data' | 'plain wait') =>
  kernel(
    { name: `plain_${SHAPE.replace(' ', '_')}`, use: { lsa, SHAPE }, params },
    ({ lsa, SHAPE, fence, waitUntil, u32 }, { comm, inbox, out }) => {
      if (comm.lsaRank === 0) {
        const far = lsa.pointer(inbox, u32, 0, 1);
        if (SHAPE !== 'flag') far.store(4, 42);
        if (SHAPE !== 'data') fence('acq_rel', 'system');
        far.store(0, 1);
      } else {
        const near = lsa.localPointer(inbox, u32, 0);
        if (SHAPE === 'plain wait') waitUntil(() => near.load(0) === 1);
        else waitUntil(() => near.load(0, 'relaxed') === 1);
        fence('acq_rel', 'system');
        if (SHAPE !== 'flag') lsa.localPointer(out, u32, 0).store(0, near.load(4));
      }
    },
  );

/**
 * Rank 0 stores data of two ranks and a flag, which rank 1 passes on to rank 2. Rank 1 acquires the
 * flag or only polls it, and stores its own data before it or not.
 */
const relay = (SHAPE: 'acquires' | 'polls' | 'adds' | 'unfenced') =>
  kernel(
    { name: `relay_${SHAPE}`, use: { lsa, SHAPE }, params },
    ({ lsa, SHAPE, coopCta, threadIdx, fence, waitUntil, u32 }, { comm, inbox, out }) => {
      const near = lsa.localPointer(inbox, u32, 0);
      const far = lsa.pointer(inbox, u32, 0, 2);
      if (comm.lsaRank === 0 && threadIdx.x === 0) {
        far.store(4, 42);
        if (SHAPE !== 'unfenced') fence('acq_rel', 'system');
        lsa.pointer(inbox, u32, 0, 1).store(0, 1, 'relaxed');
      }
      if (comm.lsaRank === 1) {
        if (threadIdx.x === 0) waitUntil(() => near.load(0, SHAPE === 'polls' ? 'relaxed' : 'acquire') === 1);
        if (threadIdx.x === 1 && SHAPE === 'adds') far.store(5, 43);
        coopCta().sync();
        if (threadIdx.x === 1) far.store(0, 1, 'relaxed');
      }
      if (comm.lsaRank === 2 && threadIdx.x === 0) {
        waitUntil(() => near.load(0, 'acquire') === 1);
        lsa.localPointer(out, u32, 0).store(0, near.load(4) + (SHAPE === 'adds' ? near.load(5) : 0));
      }
    },
  );

/** Both ranks store to one word of rank 0. */
const stores = (SAME: boolean) =>
  kernel({ name: `stores_${SAME}`, use: { lsa, SAME }, params }, ({ lsa, SAME, u32 }, { comm, inbox }) => {
    lsa.pointer(inbox, u32, 0, 0).store(0, SAME ? 7 : comm.lsaRank);
  });

async function reportsOf(
  of: ReturnType<typeof fences>,
  block: number,
  strict = false,
  overwrites = false,
  ranks = 2,
): Promise<readonly CheckReport[]> {
  const program = hosts(async (comm) => {
    const inbox = await comm.allocWindow('u32', 16);
    const out = await comm.allocWindow('u32', 16);
    const dev = await comm.createDevComm({});
    await comm.launch(of, { grid: 1, block }, { comm: dev, inbox, out });
    await comm.synchronize();
    if (overwrites && comm.rank === 0) await inbox.write(Uint32Array.of(1, 2, 3, 4), 4);
  });
  const reports: CheckReport[] = [];
  for (const strategy of ['auto', 'exhaustive', 'late'] as const)
    reports.push(await check({ ranks, strategy, strict }, program));
  return reports;
}

const told = ({ verdict, findings }: CheckReport): string =>
  [verdict, ...findings.map(({ severity, message }) => `${severity}: ${message}`)].join('\n');

const model = (why: string): string =>
  `clean\nmodel: a load and a store of the same bytes are not ordered by the memory model; GPUs order them, because ${why}`;

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

describe('a race that is harmless on present GPUs is reported as a note', () => {
  it.for(slow)('if every thread fences before the barrier of its block, and one stores the flag relaxed', async () => {
    const why = 'each thread fences before the barrier of its block, and the flag is stored after it';
    for (const report of await reportsOf(fences('all'), 2)) expect(told(report)).toBe(model(why));
    for (const report of await reportsOf(fences('all'), 2, true)) expect(report.verdict).toBe('race');
  });

  it.each((['one', 'none'] as const).filter(isNow))('%s of the threads fences, which is an error', async (who) => {
    for (const report of await reportsOf(fences(who), 2)) expect(told(report)).toMatch(/^race\nerror: /);
  });

  it.each((['kernel', 'host'] as const).filter(isNow))(
    'if a load has ended before a relaxed flag, and the %s overwrites',
    async (by) => {
      for (const report of await reportsOf(ended('before', by), 2, false, by === 'host'))
        expect(told(report)).toMatch(
          /^clean\nmodel: .* if an instruction before the later flag uses the loaded value, because no/,
        );
      for (const report of await reportsOf(ended('after', by), 1, false, by === 'host'))
        expect(told(report)).toMatch(/^race\nerror: /);
    },
  );

  it('if a line of 16 bytes is polled in one access', async () => {
    const why = 'they store up to 16 aligned bytes at once and the wait reads them with one load';
    for (const report of await reportsOf(line(false), 1)) expect(told(report)).toBe(model(why));
  });

  it.each([
    ['flag', 1],
    ['fenced data', 2],
  ] as const)('if a flag is stored without an order and polled with one: %s', async (shape, warnings) => {
    for (const report of await reportsOf(plainFlag(shape), 1)) {
      expect(report.findings.map(({ severity }) => severity)).toEqual(Array.from({ length: warnings }, () => 'model'));
      expect(told(report)).toContain('they store up to 16 aligned bytes at once and the wait reads them with one load');
    }
  });

  it.each((['data', 'plain wait'] as const).filter(isNow))(
    '%s behind a flag without an order, which is an error',
    async (shape) => {
      for (const report of await reportsOf(plainFlag(shape), 1)) expect(report.verdict).toBe('race');
    },
  );

  it('if a relaxed flag passes on what its rank has acquired', async () => {
    const why = 'what a thread has acquired is visible before its later stores';
    for (const report of await reportsOf(relay('acquires'), 2, false, false, 3)) expect(told(report)).toBe(model(why));
    for (const report of await reportsOf(relay('acquires'), 2, true, false, 3)) expect(report.verdict).toBe('race');
  });

  it.each((['polls', 'adds', 'unfenced'] as const).filter(isNow))(
    'a relaxed flag passes on nothing that its rank has not acquired, if it %s',
    async (shape) => {
      for (const report of await reportsOf(relay(shape), 2, false, false, 3)) expect(report.verdict).toBe('race');
    },
  );

  it('data beside such a line is not ordered by it', async () => {
    for (const report of await reportsOf(line(true), 1)) expect(report.verdict).toBe('race');
  });

  it('if two plain stores write the same value', async () => {
    const note = 'clean\nnote: a store and a store of the same bytes are not ordered, and writes the same value';
    for (const report of await reportsOf(stores(true), 1)) expect(told(report)).toBe(note);
    for (const report of await reportsOf(stores(false), 1)) expect(told(report)).toMatch(/^race\nerror: /);
  });
});
