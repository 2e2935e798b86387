import { harness } from '@nccl-ts/harness';
import { linesPerRank, userbuffers } from './te-params.ts';

/** userbuffers_fp16_sum_inplace_gpu_rr_rs<2> of Transformer Engine: a reduce-scatter in place. */
export default harness({
  kernel: 'te-userbuffers.ptx',
  entry: 'userbuffers_fp16_sum_inplace_gpu_rr_rs<2>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { rank, sum } = setup;
    const { data, args } = userbuffers(setup, (i) => rank + (i % 8), rank * linesPerRank);
    return {
      args,
      expect: () =>
        data.equals((i) => sum((r) => r + (i % 8)), { from: rank * 8 * linesPerRank, count: 8 * linesPerRank }),
    };
  },
});
