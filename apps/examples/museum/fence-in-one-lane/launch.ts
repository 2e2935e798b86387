import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const count = 4;
const Peers = struct({ data: array(ptr, 8), flags: array(ptr, 8) });

/** Each launch writes new data, and sums the data of all ranks. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'allReduce',
  ranks: 2,
  grid: 1,
  block: count,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const data = alloc('data', u32, count);
    const flags = alloc('flags', u32, 8);
    const out = alloc('out', u32, count);
    const peers = Peers({ data: ranks.map((r) => peer(data, r)), flags: ranks.map((r) => peer(flags, r)) });
    return {
      args: (launch) => [peers, data, out, count, rank, nRanks, launch + 1],
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + r + i + 2, 0)),
    };
  },
});
