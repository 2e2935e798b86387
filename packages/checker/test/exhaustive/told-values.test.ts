import { explore } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { win: window };
const use = { lsa };

const twoSwaps = kernel({ name: 'twoSwaps', use, params }, ({ lsa, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  words.atomicCas(0, 0, 1, 'relaxed', 'system');
  const seen = words.atomicCas(0, 1, 1, 'relaxed', 'system');
  words.store(1, seen + 100);
});

const swapAndAdd = kernel({ name: 'swapAndAdd', use, params }, ({ lsa, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  words.atomicCas(0, 0, 1, 'relaxed', 'system');
  words.store(1, words.atomicAdd(0, 1, 'relaxed', 'system') + 100);
});

const reads = kernel({ name: 'reads', use, params }, ({ lsa, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  words.store(1, words.load(0, 'relaxed', 'system') + 10, 'relaxed', 'system');
});
const writes = kernel({ name: 'writes', use, params }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(0, 1, 'relaxed', 'system');
});
const nothing = kernel({ name: 'nothing', use, params }, ({ lsa, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(3, 1, 'relaxed', 'system');
});

const storesThenFences = kernel({ name: 'storesThenFences', use, params }, ({ lsa, fence, u32 }, { win }) => {
  lsa.pointer(win, u32, 0, 0).store(0, 1, 'relaxed', 'system');
  fence('seq_cst', 'system');
});
const raisesFlag = kernel({ name: 'raisesFlag', use, params }, ({ lsa, u32 }, { win }) => {
  lsa.pointer(win, u32, 0, 0).store(1, 1, 'relaxed', 'system');
});
const fencesThenLoads = kernel({ name: 'fencesThenLoads', use, params }, ({ lsa, fence, waitUntil, u32 }, { win }) => {
  const words = lsa.pointer(win, u32, 0, 0);
  fence('seq_cst', 'system');
  waitUntil(() => words.load(1, 'relaxed', 'system') === 1);
  words.store(2, words.load(0, 'relaxed', 'system') + 10, 'relaxed', 'system');
});

/**
 * Returns the values that `run` receives in runs without an error: the result of each rank's host
 * program.
 */
async function told(
  ranks: number,
  run: (comm: Communicator) => Promise<string>,
): Promise<{ readonly outcomes: readonly string[]; readonly verdict: string | undefined }> {
  const outcomes = new Set<string>();
  const { complete, report } = await explore(
    { ranks, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      try {
        outcomes.add((await world.run(run)).join(' '));
      } finally {
        await world.close();
      }
    },
    { runs: 2000 },
  );
  expect(complete).toBe(true);
  return { outcomes: [...outcomes].toSorted(), verdict: report?.verdict };
}

describe('a host program reads only values of its own execution', () => {
  it.each([
    ['two swaps of one thread', twoSwaps, '1,101'],
    ['a swap and an addition of one thread', swapAndAdd, '2,101'],
  ] as const)('%s read by a host come one after the other', async (_, swaps, outcome) => {
    const found = await told(1, async (comm) => {
      const win = await comm.allocWindow('u32', 2);
      await comm.launch(swaps, { grid: 1, block: 1 }, { win });
      await comm.synchronize();
      return [...(await win.read())].join();
    });
    expect(found).toEqual({ outcomes: [outcome], verdict: 'clean' });
  });

  it("a pending load may still read values from a host's launch after that host has seen another stream", async () => {
    const { outcomes } = await told(1, async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const [first, second] = [await comm.createStream(), await comm.createStream()];
      await comm.launch(reads, { grid: 1, block: 1, stream: first }, { win });
      await comm.launch(nothing, { grid: 1, block: 1, stream: second }, { win });
      await comm.synchronize(second);
      await comm.launch(writes, { grid: 1, block: 1, stream: second }, { win });
      await comm.synchronize(first);
      await comm.synchronize(second);
      return [...(await win.read())].join();
    });
    expect(outcomes).toEqual(['1,10,0,1', '1,11,0,1']);
  });

  it('a read keeps every order of sequential fences that is still possible', async () => {
    const outcomes = new Set<string>();
    const { complete } = await explore(
      { ranks: 2, mode: 'check' },
      async (backend) => {
        const world = await World.open({ backend });
        try {
          const windows = await world.run((comm) => comm.allocWindow('u32', 4));
          await world.run(async (comm) => {
            const win = windows[comm.rank];
            for (const one of comm.rank === 0 ? [storesThenFences, raisesFlag] : [fencesThenLoads]) {
              if (win !== undefined) await comm.launch(one, { grid: 1, block: 1 }, { win });
              await comm.synchronize();
            }
          });
          const [words] = await world.run(async ({ rank }) => [...((await windows[rank]?.read()) ?? [])].join());
          outcomes.add(words ?? '');
        } finally {
          await world.close();
        }
      },
      { runs: 2000 },
    );
    expect(complete).toBe(true);
    // Without an order of the fences, the load need not see the store, although its flag came
    // later.
    expect([...outcomes].toSorted()).toEqual(['1,1,10,0', '1,1,11,0']);
  });
});
