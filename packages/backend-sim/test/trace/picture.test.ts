import { timelineSvg } from '@nccl-ts/timeline';
import { expect, it } from 'vitest';
import { runHybridAllToAll } from './hybrid-all-to-all.ts';
import { tracedRun } from './traced-run.ts';

it('the picture of the hybrid all-to-all in docs/ is what the simulator draws', async () => {
  const [ranks, n] = [8, 4096];
  const { timeline, results } = await tracedRun({ ranks, lsaSize: 4 }, async (comm) => runHybridAllToAll(comm, n));
  for (const [rank, got] of results.entries()) {
    const wanted = Uint32Array.from({ length: ranks * n }, (_, i) => Math.floor(i / n) * 2 ** 20 + rank * n + (i % n));
    expect(got).toEqual(wanted);
  }
  const svg = timelineSvg(timeline, { title: 'An all-to-all of 16 KiB blocks among 8 ranks in domains of 4' });
  await expect(svg).toMatchFileSnapshot('../../../../docs/hybrid-all-to-all.svg');
});
