import { harness, u32 } from '@nccl-ts/harness';

const count = 1;
const launches = 5;

/** Five epochs. The fourth reuses the stage of the first. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'allGather',
  ranks: 2,
  grid: 1,
  block: count,
  launches,
  setup({ rank, ranks, nRanks, alloc, multicast }) {
    const mailbox = alloc('mailbox', u32, 3 * nRanks * count);
    const out = alloc('out', u32, nRanks * count);
    return {
      args: (launch) => [mailbox, multicast(mailbox), out, count, rank, nRanks, launch],
      expect: () =>
        out.equals(
          ranks.flatMap((r) => Array.from({ length: count }, (_, i) => 100 * (launches - 1) + 10 * r + i + 1)),
        ),
    };
  },
});
