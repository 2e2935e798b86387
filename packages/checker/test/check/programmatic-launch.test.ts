import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { i32, kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { hosts, reportsOf, verdictsOf } from './every-engine.ts';
import { consume, launches, produce, type idle } from './support/early-launches.ts';

/** Waits in one thread only. With `sync`, the CTA's other threads are ordered after the wait. */
const oneWaits = (SYNCS: boolean) =>
  kernel(
    { name: 'one_waits', use: { lsa, SYNCS }, params: { win: window } },
    ({ lsa, SYNCS, gridDependencySync, coopCta, threadIdx, u32 }, { win }) => {
      if (threadIdx.x === 0) gridDependencySync();
      if (SYNCS) coopCta().sync();
      const words = lsa.localPointer(win, u32, 0);
      words.store(8 + threadIdx.x, words.load(threadIdx.x) + 1);
    },
  );

/** Lets the next launch begin, and writes a value that CTA 1 passes to CTA 0. */
const handsOn = kernel(
  { name: 'hands_on', use: { lsa }, params: { win: window } },
  ({ lsa, launchDependents, waitUntil, blockIdx, u32 }, { win }) => {
    const words = lsa.localPointer(win, u32, 0);
    launchDependents();
    waitUntil(() => words.load(20 + blockIdx.x, 'acquire', 'device') === blockIdx.x);
    words.store(blockIdx.x, 7);
    words.store(21 - blockIdx.x, 1, 'release', 'device');
  },
);

/** Lets the next launch begin, and then waits for a write by it. */
const waitsForNext = kernel(
  { name: 'waits_for_next', use: { lsa }, params: { win: window } },
  ({ lsa, launchDependents, waitUntil, u32 }, { win }) => {
    launchDependents();
    const words = lsa.localPointer(win, u32, 0);
    waitUntil(() => words.load(20, 'acquire') === 1);
  },
);
const tells = kernel({ name: 'tells', use: { lsa }, params: { win: window } }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(20, 1, 'release');
});

/**
 * Waits, tells the peer by a relaxed flag, and reads what the peer wrote: earlier, or before its
 * wait.
 */
const tellsPeer = (READS: 'earlier' | 'own', WAITS: boolean) =>
  kernel(
    { name: `tells_peer_${READS}`, use: { lsa, READS, WAITS }, params: { win: window, peer: i32 } },
    ({ lsa, READS, WAITS, gridDependencySync, waitUntil, u32 }, { win, peer: to }) => {
      const words = lsa.localPointer(win, u32, 0);
      const peer = lsa.pointer(win, u32, 0, to);
      words.store(1, 7);
      if (WAITS) gridDependencySync();
      peer.store(20, 1, 'relaxed');
      waitUntil(() => words.load(20, 'acquire') === 1);
      words.store(24, peer.load(READS === 'own' ? 1 : 0));
    },
  );

describe('a launch that may begin before the previous one has ended', () => {
  it.each(
    [
      { name: 'no trigger, no wait', first: produce('never'), second: consume('never'), verdict: 'race' },
      {
        name: 'a trigger behind the write, no wait',
        first: produce('after'),
        second: consume('never'),
        verdict: 'race',
      },
      { name: 'a wait behind the read', first: produce('after'), second: consume('after'), verdict: 'race' },
      { name: 'a wait in front of the read', first: produce('after'), second: consume('before'), verdict: 'clean' },
      {
        name: 'a trigger in front of the write',
        first: produce('before'),
        second: consume('before'),
        verdict: 'clean',
      },
      { name: 'a wait without a trigger', first: produce('never'), second: consume('before'), verdict: 'clean' },
      { name: 'a wait of one thread, no meeting', first: produce('before'), second: oneWaits(false), verdict: 'race' },
      { name: 'a wait of one thread, a meeting', first: produce('before'), second: oneWaits(true), verdict: 'clean' },
    ].filter((_, i) => (i % 3 === 0) !== inject('slow')),
  )('$name: $verdict', async ({ first, second, verdict }) => {
    expect(await verdictsOf({ ranks: 1 }, launches([{ kernel: first }, { kernel: second, early: true }]))).toEqual([
      verdict,
    ]);
  });

  it.each([
    { name: 'what an earlier launch wrote', reads: 'earlier', waits: true, verdict: 'clean' },
    { name: 'what an earlier launch wrote, without a wait', reads: 'earlier', waits: false, verdict: 'race' },
    { name: 'what the thread wrote before its wait', reads: 'own', waits: true, verdict: 'race' },
  ] as const)('a relaxed flag after a wait publishes to a peer $name: $verdict', async ({ reads, waits, verdict }) => {
    const program = hosts(async (comm) => {
      const win = await comm.allocWindow('u32', 32);
      const shape = { grid: 1, block: 1 };
      await comm.launch(produce('before'), shape, { win });
      const attributes = { programmaticStreamSerialization: true };
      await comm.launch(tellsPeer(reads, waits), { ...shape, attributes }, { win, peer: 1 - comm.rank });
      await comm.synchronize();
    });
    expect(await verdictsOf({ ranks: 2 }, program)).toEqual([verdict]);
  });

  it('several CTAs trigger separately, and a wait is ordered after all of them', async () => {
    const program = launches([{ kernel: produce('before') }, { kernel: consume('before'), early: true }], {
      grid: 2,
      block: 1,
    });
    expect(await verdictsOf({ ranks: 1 }, program)).toEqual(['clean']);
  });

  it('a launch without the attribute is ordered after the previous one as usual', async () => {
    expect(
      await verdictsOf({ ranks: 1 }, launches([{ kernel: produce('before') }, { kernel: consume('never') }])),
    ).toEqual(['clean']);
  });

  it('a kernel that relies on an early launch hangs in some schedule', async () => {
    const program = launches([{ kernel: waitsForNext }, { kernel: tells, early: true }], { grid: 1, block: 1 });
    expect((await check({ ranks: 1, strategy: 'late' }, program)).verdict).toBe('clean');
    expect((await check({ ranks: 1, strategy: 'exhaustive', bound: 0 }, program)).verdict).toBe('deadlock');
    const reports = await reportsOf({ ranks: 1 }, program);
    expect(
      new Set([...reports].filter(([name]) => name.startsWith('random')).map(([, { verdict }]) => verdict)),
    ).toEqual(new Set(['clean', 'deadlock']));
  });

  it('a kernel that waits computes the same in every schedule, and one that does not may read old words', async () => {
    const words = async (second: typeof idle, seed: number) => {
      const world = await World.open({ backend: sim({ ranks: 1, strategy: 'late', seed }) });
      const [read = []] = await world.run(async (comm) => {
        const win = await comm.allocWindow('u32', 32);
        await comm.launch(handsOn, { grid: 2, block: 1 }, { win });
        const attributes = { programmaticStreamSerialization: true };
        await comm.launch(second, { grid: 2, block: 1, attributes }, { win });
        await comm.synchronize();
        return [...(await win.read())].slice(8, 10);
      });
      await world.close();
      return read.join();
    };
    const seen = async (second: typeof idle) => {
      const all = new Set<string>();
      for (let seed = 1; seed <= 8; seed++) all.add(await words(second, seed));
      return [...all].toSorted();
    };
    expect(await seen(consume('before'))).toEqual(['8,8']);
    expect(await seen(consume('never'))).toEqual(['8,1', '8,8']);
  });

  it('a launch that waits for a stuck one is reported', async () => {
    const stuck = kernel(
      { name: 'stuck', use: { lsa }, params: { win: window } },
      ({ lsa, launchDependents, waitUntil, u32 }, { win }) => {
        launchDependents();
        waitUntil(() => lsa.localPointer(win, u32, 0).load(0, 'acquire') === 1);
      },
    );
    const report = await check(
      { ranks: 1, strategy: 'late' },
      launches([{ kernel: stuck }, { kernel: consume('before'), early: true }]),
    );
    expect(report.verdict).toBe('deadlock');
    expect(report.findings[0]?.message).toMatchInlineSnapshot(`"threads wait for an event that can no longer happen"`);
  });
});
