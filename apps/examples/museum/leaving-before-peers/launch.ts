import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const count = 2;
const grid = 2;
const Peers = struct({ flags: array(ptr, 8) });

/** One launch of two CTAs. The accumulators finally hold the sum over all CTAs of all ranks. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'reduceAll',
  ranks: 2,
  grid,
  block: count,
  launches: 1,
  setup({ rank, ranks, nRanks, alloc, peer, multicast }) {
    const flags = alloc('flags', u32, nRanks);
    const arrived = alloc('arrived', u32, 1);
    const sums = alloc('sums', u32, count);
    const out = alloc('out', u32, count);
    const peers = Peers({ flags: ranks.map((r) => peer(flags, r)) });
    return {
      args: (launch) => [peers, arrived, sums, multicast(sums), out, count, rank, nRanks, launch + 1],
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + grid * (10 * r + i) + 1, 0)),
    };
  },
});
