import { f32, harness, u32 } from '@nccl-ts/harness';
import { AllReduceParams } from './fastertransformer-params.ts';

/** twoShotAllReduceKernel<uint32_t> of FasterTransformer, on its 8 ranks. */
export default harness({
  kernel: 'fastertransformer.ptx',
  entry: 'twoShotAllReduceKernel<unsigned>',
  ranks: 8,
  grid: 2,
  block: 32,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const perBlock = 128;
    const perRank = 2 * perBlock;
    const count = nRanks * perRank;
    const buffer = alloc('buffer', f32, count, (i) => rank + (i % 8));
    const flags = alloc('flags', u32, 3 * nRanks, () => 0);
    const output = alloc('output', f32, count);
    const params = {
      eltsTotal: count,
      eltsPerRank: perRank,
      eltsPerBlock: perBlock,
      rankOffset: rank * perRank,
      rank,
      localRank: rank,
      nodeId: 0,
      barriers: ranks.map((r) => peer(flags, r)),
      buffers: ranks.map((r) => peer(buffer, r)),
      output,
    };
    return {
      args: (launch: number) => [AllReduceParams({ ...params, barrierFlag: launch + 1 })],
      expect: () => output.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
