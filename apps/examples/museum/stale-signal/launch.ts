import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const count = 4;
const Peers = struct({ data: array(ptr, 8), flags: array(ptr, 8) });

/** Three rounds. The third reuses the half of the first, and finds its signals there. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'exchange',
  ranks: 2,
  grid: 1,
  block: count,
  launches: 3,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const data = alloc('data', u32, 2 * nRanks * count);
    const flags = alloc('flags', u32, 2 * nRanks);
    const out = alloc('out', u32, count);
    const peers = Peers({ data: ranks.map((r) => peer(data, r)), flags: ranks.map((r) => peer(flags, r)) });
    return {
      args: (launch) => [peers, out, count, rank, nRanks, launch + 1],
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + 300 + 10 * r + i, 0)),
    };
  },
});
