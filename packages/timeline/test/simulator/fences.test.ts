import type { SimTraceOptions } from '@nccl-ts/backend-sim';
import { kernel, u32 } from '@nccl-ts/kernel';
import { expect, it } from 'vitest';
import { tracedRun } from './traced-run.ts';

const trace: SimTraceOptions = { launchLatency: 0, stepTime: 0, syncTime: 0, fenceTime: 100, ctaFenceTime: 250 };

/** The first `threads` threads of a CTA of two warps fence, `rounds` times. */
const fences = kernel(
  { name: 'fences', params: { threads: u32, rounds: u32 } },
  ({ coopCta, fence, threadIdx, u32 }, { threads, rounds }) => {
    for (let round = u32(0); round < rounds; round++) {
      if (threadIdx.x < threads) fence('acq_rel', 'system');
      coopCta().sync();
    }
  },
);

it.each([
  ['a thread', 1, 100],
  ['a warp', 32, 100],
  ['all warps of a CTA', 64, 250],
])('a fence of %s takes its time in each round', async (_title, threads, time) => {
  for (const rounds of [1, 3]) {
    const { timeline } = await tracedRun({ ranks: 1, trace }, async (comm) => {
      await comm.launch(fences, { grid: 1, block: 64 }, { threads, rounds });
      await comm.synchronize();
    });
    expect(timeline.end).toBeCloseTo(rounds * time);
  }
});
