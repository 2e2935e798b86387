import { harness, i32, u32 } from '@nccl-ts/harness';
import type { HarnessArgument } from '@nccl-ts/harness';

/**
 * push_pull_halos_1d_kernel<int2, true, false, false> of Apex in a ring, so that with 2 ranks the
 * neighbour is the same on both sides. Data and flag travel in one 16 byte word.
 */
export default harness({
  kernel: 'apex-halo.ptx',
  entry: 'push_pull_halos_1d_kernel',
  ranks: 2,
  grid: 2,
  block: 128,
  launches: 2,
  setup({ rank, nRanks, alloc, peer }) {
    const count = 100;
    const halo = (name: string) => alloc(name, i32, 2 * count, (i) => 10_000 * rank + i);
    const transfer = (name: string) => alloc(name, u32, 2 * 128 * 4, () => 0);
    const [topOut, bottomOut] = [halo('top_out'), halo('bottom_out')];
    const [topIn, bottomIn] = [halo('top_in'), halo('bottom_in')];
    const [topTransfer, bottomTransfer] = [transfer('top_transfer'), transfer('bottom_transfer')];
    const [above, below] = [(rank + nRanks - 1) % nRanks, (rank + 1) % nRanks];
    const top: HarnessArgument[] = [topOut, 0, 0, 0, topIn, 0, 0, 0, peer(bottomTransfer, above), topTransfer];
    const bottom = [bottomOut, 0, 0, 0, bottomIn, 0, 0, 0, peer(topTransfer, below), bottomTransfer];
    return {
      args: top.concat(bottom, [1, 1, count, rank % 2]),
      expect: () => [topOut.equals((i) => 10_000 * above + i), bottomOut.equals((i) => 10_000 * below + i)],
    };
  },
});
