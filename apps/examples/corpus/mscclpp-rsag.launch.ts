import { f32, harness, ptr } from '@nccl-ts/harness';
import { baseChannels } from './mscclpp-params.ts';

/** allreduceRsAg<SUM, float> of MSCCL++. */
export default harness({
  kernel: 'mscclpp-allreduce-rsag.ptx',
  entry: 'allreduceRsAg<(mscclpp::ReduceOp)0, float, float>',
  ranks: 2,
  grid: 2,
  block: 32,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer, peers, sum }) {
    const n = 512;
    const buff = alloc('buff', f32, n, (i) => rank + (i % 8));
    const scratch = alloc('scratch', f32, n);
    const resultBuff = alloc('resultBuff', f32, n);
    const remoteMemories = alloc(
      'remoteMemories',
      ptr,
      peers(scratch).filter((_, r) => r !== rank),
    );
    return {
      args: [
        buff,
        scratch,
        resultBuff,
        baseChannels({ rank, ranks, nRanks, alloc, peer }, 2),
        null,
        remoteMemories,
        rank,
        nRanks,
        nRanks,
        n,
      ],
      expect: () => resultBuff.equals((i) => sum((r) => r + (i % 8))),
    };
  },
});
