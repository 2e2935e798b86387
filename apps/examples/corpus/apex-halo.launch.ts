import { harness, i32 } from '@nccl-ts/harness';

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
    const n = 200;
    const toh = alloc('toh', i32, n);
    const tih = alloc('tih', i32, n, (i) => 10_000 * rank + i);
    const tix = alloc('tix', i32, 1024);
    const boh = alloc('boh', i32, n);
    const bih = alloc('bih', i32, n, (i) => 10_000 * rank + i);
    const bix = alloc('bix', i32, 1024);
    const [above, below] = [(rank + nRanks - 1) % nRanks, (rank + 1) % nRanks];
    return {
      args: [
        toh,
        0,
        0,
        0,
        tih,
        0,
        0,
        0,
        peer(bix, above),
        tix,
        boh,
        0,
        0,
        0,
        bih,
        0,
        0,
        0,
        peer(tix, below),
        bix,
        1,
        1,
        n / 2,
        rank % 2,
      ],
      expect: () => [toh.equals((i) => 10_000 * above + i), boh.equals((i) => 10_000 * below + i)],
    };
  },
});
