import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const Peers = struct({ inbox: array(ptr, 8), flags: array(ptr, 8) });

/**
 * Each rank adds its tile and the previous rank's tile. Rounds alternate between the two halves of
 * the inbox.
 */
export default harness({
  kernel: 'broken.ptx',
  entry: 'add_tiles',
  ranks: 2,
  grid: 1,
  block: 32,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const data = alloc('data', u32, 32, (i) => 100 * rank + i);
    const inbox = alloc('inbox', u32, 2 * 32);
    const flags = alloc('flags', u32, 1);
    const out = alloc('out', u32, 32);
    const peers = Peers({ inbox: ranks.map((r) => peer(inbox, r)), flags: ranks.map((r) => peer(flags, r)) });
    const from = (rank + nRanks - 1) % nRanks;
    return {
      args: (launch) => [peers, data, out, rank, nRanks, launch + 1],
      expect: () => out.equals((i) => 2 * (100 * rank + i) + 2 * (100 * from + i)),
    };
  },
});
