import { f32, harness } from '@nccl-ts/harness';
import { MemoryChannelDeviceHandle } from './mscclpp-params.ts';

/** 2, 4 or 8. Each peer has two blocks. */
const ranks = 2;

/** SGLang's AllReduce by packets of MSCCL++. A variable of the module counts the launches. */
export default harness({
  entry: 'allreduce_1shotLL_1node',
  ranks,
  grid: 2 * (ranks - 1),
  block: 32,
  launches: 3,
  setup({ rank, ranks: all, nRanks, alloc, peer }) {
    const count = 32 * nRanks;
    const input = alloc('buff', f32, count, (i) => rank + i);
    const output = alloc('resultBuff', f32, count);
    const scratch = alloc('scratch', (4 * count * 16) / 2);
    const channels = alloc(
      'memChans',
      MemoryChannelDeviceHandle,
      all.filter((r) => r !== rank).map((r) => ({ dst: peer(scratch, r), src: input })),
    );
    return {
      args: [channels, input, scratch, output, rank, nRanks, count],
      between: (launch: number) => input.write((i) => (launch + 1) * (rank + i)),
      expect: () => output.equals((i) => 3 * all.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
