import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const chunks = 4;
const Peers = struct({ inbox: array(ptr, 8), flags: array(ptr, 8) });

/**
 * Each rank sends four chunks of 32 bytes to the next. Rounds alternate between the two halves of
 * the inbox.
 */
export default harness({
  kernel: 'broken.ptx',
  entry: 'send',
  ranks: 2,
  grid: 1,
  block: 8,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const data = alloc('data', u32, 8 * chunks, (i) => 100 * rank + i);
    const inbox = alloc('inbox', u32, 2 * 8 * chunks);
    const flags = alloc('flags', u32, 1);
    const out = alloc('out', u32, 8 * chunks);
    const peers = Peers({ inbox: ranks.map((r) => peer(inbox, r)), flags: ranks.map((r) => peer(flags, r)) });
    const from = (rank + nRanks - 1) % nRanks;
    return {
      args: (launch) => [peers, data, out, chunks, rank, nRanks, launch + 1],
      expect: () => out.equals((i) => 100 * from + i),
    };
  },
});
