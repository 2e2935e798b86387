import { explore, type ExploreBound } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import type { Finding } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const adders = kernel({ name: 'adders', use: { lsa }, params: { win: window } }, ({ lsa, blockIdx, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  words.atomicAdd(0, 1, 'relaxed', 'device');
  words.store(1, blockIdx.x);
});

/** Each round is a read and a write, and there are too many rounds to explore. */
const storesForEver = kernel(
  { name: 'storesForEver', use: { lsa }, params: { win: window } },
  ({ lsa, u32 }, { win }) => {
    const words = lsa.localPointer(win, u32, 0);
    let seen = u32(0);
    while (seen < 1_000_000) {
      words.store(0, seen, 'relaxed', 'device');
      seen = words.load(0, 'relaxed', 'device') + 1;
    }
  },
);

function bounded(
  one: typeof adders,
  bound: ExploreBound,
  onFinding?: (finding: Finding) => 'stop' | undefined,
): ReturnType<typeof explore> {
  return explore(
    { ranks: 1, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      try {
        await world.run(async (comm) => {
          const win = await comm.allocWindow('u32', 4);
          await comm.launch(one, { grid: 3, block: 1 }, { win });
          await comm.synchronize();
        });
      } finally {
        await world.close();
      }
    },
    bound,
    onFinding === undefined ? {} : { onFinding },
  );
}

describe('an exploration is bounded, and names the bound', () => {
  it('reports a finding once, in the run that shows it, and stops on request', async () => {
    const all = await bounded(adders, { runs: 1000 });
    expect(all.complete).toBe(true);
    expect(all.runs).toBeGreaterThan(1);
    const found: Finding[] = [];
    const going = await bounded(adders, { runs: 1000 }, (finding) => {
      found.push(finding);
      return undefined;
    });
    expect(found.map(({ kind }) => kind)).toEqual(['race']);
    expect(found).toEqual(all.report?.findings);
    expect(going.runs).toBe(all.runs);
    const stopped = await bounded(adders, { runs: 1000 }, () => 'stop');
    expect(stopped).toMatchObject({ runs: 1, complete: false, report: { verdict: 'race' } });
  });

  it('ends at the same access in each repetition', async () => {
    const first = await bounded(adders, { runs: 1000, accesses: 100 });
    const second = await bounded(adders, { runs: 1000, accesses: 100 });
    expect(first).toMatchObject({ complete: false, report: { proves: { kind: 'nothing', bound: '100 accesses' } } });
    expect(second).toEqual(first);
  });

  it.for(slow)('ends a very long run', async () => {
    const counted = await bounded(storesForEver, { runs: 1000, accesses: 100 });
    expect(counted).toMatchObject({ complete: false, report: { verdict: 'incomplete' } });
    const timed = await bounded(storesForEver, { runs: 1000, milliseconds: 50 });
    expect(timed.complete).toBe(false);
    expect(timed.report?.proves).toEqual({ kind: 'nothing', bound: '50 milliseconds' });
  });

  it.each([{ runs: 0 }, { runs: 1, milliseconds: 0 }, { runs: 1, accesses: -1 }])('rejects %j', async (bound) => {
    await expect(bounded(adders, bound)).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT' });
  });
});

it('worker threads are refused for explore, which chooses schedules itself', async () => {
  const refused = explore({ ranks: 2, workers: 2 }, async () => {}, { runs: 1 });
  await expect(refused).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT' });
});
