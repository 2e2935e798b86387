import { f32, harness, ptr } from '@nccl-ts/harness';
import { baseChannels } from './mscclpp-params.ts';

/** allreduceRsAg<SUM, float> of MSCCL++. */
export default harness({
  kernel: 'mscclpp-allreduce-rsag.ptx',
  entry: /allreduceRsAg.*Op.*0.*float, float/,
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup(setup) {
    const { rank, ranks, nRanks, alloc, peer } = setup;
    const n = 512;
    const input = alloc('input', f32, n, (i) => rank + (i % 8));
    const scratch = alloc('scratch', f32, n);
    const output = alloc('output', f32, n);
    const remote = alloc(
      'remote_memories',
      ptr,
      ranks.filter((r) => r !== rank).map((r) => peer(scratch, r)),
    );
    return {
      args: [input, scratch, output, baseChannels(setup, 2), null, remote, rank, nRanks, nRanks, n],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
