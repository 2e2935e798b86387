import { array, f32, harness, ptr, struct, u8, type Allocation } from '@nccl-ts/harness';

const Pointers = struct({ at: array(ptr, 8) });

/**
 * Launches cross_device_reduce_1stage<float, 2> of vLLM at 036bb685, whose byte flags are read as
 * one word.
 */
export default harness({
  entry: 'cross_device_reduce_1stage<float, 2>',
  ranks: 2,
  grid: 1,
  block: 64,
  setup({ rank, ranks, alloc, peer }) {
    const input = alloc('input', f32, 64, (i) => rank + i);
    const result = alloc('result', f32, 64);
    const metadata = alloc('Metadata', u8, 256);
    const at = (of: Allocation) => ({ at: ranks.map((r) => peer(of, r)) });
    const rankData = alloc('RankData', Pointers, [at(input)]);
    return {
      args: [rankData, Pointers(at(metadata)), metadata, result, rank, 16],
      expect: () => result.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
