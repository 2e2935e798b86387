import { check, type CheckOptions } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/**
 * Between two barriers, rank 0 loads a word that rank 1 stores. A rank may be one barrier ahead of
 * the other.
 */
const between = (meets: boolean) =>
  kernel(
    { name: 'between', use: { lsa, MEETS: meets }, params: { comm: devComm, win: window } },
    ({ lsa, MEETS, coopCta, u32 }, { comm, win }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      bar.sync(coopCta(), 'acq_rel');
      if (comm.lsaRank === 1) lsa.localPointer(win, u32, 0).store(0, 1);
      if (MEETS) bar.sync(coopCta(), 'acq_rel');
      if (comm.lsaRank === 0) lsa.localPointer(win, u32, 0).store(1, lsa.pointer(win, u32, 0, 1).load(0));
      bar.sync(coopCta(), 'acq_rel');
    },
  );

/**
 * A flag that increases twice. The wait for the first value does not order accesses between the
 * two.
 */
const rises = (waitsFor: 1 | 2) =>
  kernel(
    { name: 'rises', use: { lsa, LEAST: waitsFor }, params: { comm: devComm, win: window } },
    ({ lsa, LEAST, waitUntil, u32 }, { comm, win }) => {
      const words = lsa.pointer(win, u32, 0, 0);
      if (comm.lsaRank === 0) {
        words.store(1, 7);
        words.store(0, 1, 'release', 'system');
        words.store(2, 8);
        words.store(0, 2, 'release', 'system');
      } else {
        waitUntil(() => words.load(0, 'acquire', 'system') >= LEAST);
        words.store(3, words.load(1) + words.load(2));
      }
    },
  );

async function verdictOf(
  of: ReturnType<typeof between>,
  how: Pick<CheckOptions, 'strategy'>,
  seed: number,
): Promise<string> {
  const report = await check({ ranks: 2, ...how, seed }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      await win.write(new Uint32Array(4));
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(of, { grid: 1, block: 1 }, { comm: dev, win });
      await comm.synchronize();
    });
  });
  return report.verdict;
}

/** With NCCLTS_EVERY_CASE set, more seeds of single strategies. */
const every = inject('everyCase');
const some = every ? 50 : inject('slow') ? 12 : 4;

/** The quick tests have the second, with fewer seeds. */
const strategies = [
  { name: 'the default', how: {}, seeds: 200 },
  { name: 'random', how: { strategy: 'random' }, seeds: some },
  { name: 'pct', how: { strategy: 'pct' }, seeds: some },
  { name: 'late', how: { strategy: 'late' }, seeds: some },
] as const;

describe.each(strategies.filter((_, i) => i === 1 || inject('slow')))(
  'with each of $seeds seeds: $name',
  ({ how, seeds }) => {
    const verdicts = async (of: ReturnType<typeof between>): Promise<ReadonlySet<string>> => {
      const all = new Set<string>();
      for (let seed = 1; seed <= seeds; seed++) all.add(await verdictOf(of, how, seed));
      return all;
    };

    it('a race between two barriers is found, even if the peer is a barrier ahead', async () => {
      expect([...(await verdicts(between(false)))]).toEqual(['race']);
    });

    it('accesses before and after a barrier have no race', async () => {
      expect([...(await verdicts(between(true)))]).toEqual(['clean']);
    });

    it('a wait is ordered after the first value that satisfies it, not after the value that it happened to read', async () => {
      expect([...(await verdicts(rises(1)))]).toEqual(['race']);
      expect([...(await verdicts(rises(2)))]).toEqual(['clean']);
    });
  },
);
