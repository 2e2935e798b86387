import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const count = 2;
const Inboxes = struct({ at: array(ptr, 8) });

/** The launches alternate between two streams, so two launches of a rank run at the same time. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'allReduce',
  ranks: 2,
  grid: 1,
  block: count,
  launches: 2,
  streams: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    // Each stream has two halves, and each rank has its elements in both.
    const inbox = alloc('inbox', u32, 2 * 2 * nRanks * count);
    const epochs = alloc('epochs', u32, 2);
    const out = alloc('out', u32, 2 * count);
    const inboxes = Inboxes({ at: ranks.map((r) => peer(inbox, r)) });
    return {
      args: (launch) => [inboxes, epochs, out, count, rank, nRanks, launch % 2],
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + 1 + r + (i % count), 0)),
    };
  },
});
