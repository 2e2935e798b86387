import { harness } from '@nccl-ts/harness';
import { linesPerRank, userbuffers } from './te-params.ts';

/**
 * userbuffers_fp16_sum_inplace_gpu_rr_ag<2> of Transformer Engine: an all-gather by loads from
 * peers.
 */
export default harness({
  kernel: 'te-userbuffers.ptx',
  entry: 'userbuffers_fp16_sum_inplace_gpu_rr_ag<2>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 1,
  setup(setup) {
    const { data, args } = userbuffers(
      setup,
      (i) => (Math.floor(i / 8 / linesPerRank) === setup.rank ? i % 256 : 0),
      0,
    );
    return {
      args,
      expect: () => data.equals((i) => i % 256),
    };
  },
});
