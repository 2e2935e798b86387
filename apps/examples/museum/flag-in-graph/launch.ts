import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const count = 4;
const Peers = struct({ data: array(ptr, 8), flags: array(ptr, 8) });

/**
 * A replayed graph. Each launch has the same arguments, including the color 1, which the fixed
 * kernel ignores.
 */
export default harness({
  kernel: 'broken.ptx',
  entry: 'allReduce',
  ranks: 2,
  grid: 1,
  block: count,
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const data = alloc('data', u32, count);
    const flags = alloc('flags', u32, 16);
    const out = alloc('out', u32, count);
    const round = alloc('round', u32, 1);
    const peers = Peers({ data: ranks.map((r) => peer(data, r)), flags: ranks.map((r) => peer(flags, r)) });
    return {
      args: [peers, data, out, round, count, rank, nRanks, 1],
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
