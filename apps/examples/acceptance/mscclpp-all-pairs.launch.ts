import { f32, harness, u32 } from '@nccl-ts/harness';
import { MemoryChannelDeviceHandle } from './mscclpp-params.ts';

/** At most 8. Each peer needs a warp. */
const ranks = 2;

/**
 * MSCCL++'s AllReduce by packets: each word of data is stored with a flag. Launches take turns on
 * two buffers.
 */
export default harness({
  entry: 'allreduceAllPairs<(mscclpp::ReduceOp)0, float, float>',
  ranks,
  grid: 1,
  block: Math.max(2, ranks - 1) * 32,
  launches: 3,
  setup({ rank, ranks: all, nRanks, alloc, peer }) {
    const count = 40;
    const input = alloc('buff', f32, count, (i) => rank + i);
    const output = alloc('resultBuff', f32, count);
    const half = nRanks * count * 8;
    const scratch = alloc('scratch', 2 * half);
    const peers = all.filter((r) => r !== rank);
    const channels = alloc(
      'memoryChannels',
      MemoryChannelDeviceHandle,
      peers.map((r) => ({ dst: peer(scratch, r), src: input })),
    );
    return {
      args: [
        input,
        scratch,
        output,
        channels,
        0,
        2 * half,
        rank,
        nRanks,
        nRanks,
        count,
        2,
        alloc('flags', u32, 4, () => 1),
        16,
      ],
      between: (launch: number) => input.write((i) => (launch + 1) * (rank + i)),
      expect: () => output.equals((i) => 3 * all.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
