import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';
import { tracedRun } from './support/traced-run.ts';

const LATENCY = 1000;

const trace: SimTraceOptions = {
  launchLatency: 0,
  stepTime: 0,
  fenceTime: 0,
  memory: { latency: LATENCY, cachedLatency: LATENCY, bandwidth: 1e9, ctaBandwidth: 1e9 },
};

/** One thread sums up 8 words: by rounds of `atOnce` loads, of which each round needs the last. */
async function timeOf(atOnce: number): Promise<number> {
  const sum = kernel(
    { name: `sumBy${atOnce}`, use: { lsa, AT_ONCE: atOnce }, params: { win: window, count: u32 } },
    ({ lsa, AT_ONCE, u32, unroll }, { win, count }) => {
      const words = lsa.localPointer(win, u32, 0);
      let total = u32(0);
      for (let i = u32(0); i < count; i += AT_ONCE) for (const k of unroll(AT_ONCE)) total += words.load(i + k);
      words.store(8, total);
    },
  );
  const { timeline, results } = await tracedRun({ ranks: 1, trace }, async (comm) => {
    const win = await comm.allocWindow('u32', 9);
    await win.write(Uint32Array.from({ length: 9 }, () => 1));
    await comm.launch(sum, { grid: 1, block: 1 }, { win, count: 8 });
    return (await win.read())[8];
  });
  expect(results).toEqual([8]);
  return timeline.end;
}

it('a loop pays a trip for the loads of each round, however many loads a round has', async () => {
  for (const [atOnce, rounds] of [
    [1, 8],
    [2, 4],
    [8, 1],
  ] as const) {
    const trips = (await timeOf(atOnce)) / LATENCY;
    expect(trips).toBeGreaterThan(rounds - 0.5);
    // The store at the end is the last trip.
    expect(trips).toBeLessThan(rounds + 1.5);
  }
});

/** Lanes load a word twice over. Every `MORE`th lane loads another one each time, beside it. */
async function timeWithMore(more: number): Promise<number> {
  const loads = kernel(
    { name: `loadsOfEvery${more}`, use: { lsa, MORE: more }, params: { win: window } },
    ({ lsa, MORE, threadIdx, u32, unroll }, { win }) => {
      const words = lsa.localPointer(win, u32, 0);
      let total = u32(0);
      for (const k of unroll(2)) {
        total += words.load(threadIdx.x + 64 * k);
        if (threadIdx.x % MORE === MORE - 1) total += words.load(threadIdx.x + 64 * k + 32);
      }
      words.store(128 + threadIdx.x, total);
    },
  );
  const { timeline } = await tracedRun({ ranks: 1, trace }, async (comm) => {
    const win = await comm.allocWindow('u32', 160);
    await win.write(new Uint32Array(160));
    await comm.launch(loads, { grid: 1, block: 32 }, { win });
    await comm.synchronize();
  });
  return timeline.end;
}

it('a load that only some lanes make is under way with the loads beside it, whichever lanes these are', async () => {
  const [all, some] = [await timeWithMore(1), await timeWithMore(8)];
  expect(some).toBeLessThanOrEqual(all + LATENCY / 10);
});
