import { harness } from '@nccl-ts/harness';
import { linesPerRank, userbuffers } from './te-params.ts';

/** userbuffers_fp16_sum_inplace_gpu_rr_rs<2> of Transformer Engine: a reduce-scatter in place. */
export default harness({
  kernel: 'te-userbuffers.ptx',
  entry: 'userbuffers_fp16_sum_inplace_gpu_rr_rsILi2EE',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, ranks } = setup;
    const { data, args } = userbuffers(setup, (i) => rank + (i % 8), rank * linesPerRank);
    const count = 8 * linesPerRank;
    return {
      args,
      expect: () => data.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0), { from: rank * count, count }),
    };
  },
});
