import { harness, u32 } from '@nccl-ts/harness';

const count = 2;
const chunks = 4;

/** Rank 0 sends four chunks to rank 1, over two lanes. */
export default harness({
  kernel: 'broken.ptx',
  entry: 'sendAndReceive',
  ranks: 2,
  grid: 2,
  block: count,
  launches: 1,
  setup({ rank, alloc, peer }) {
    const inbox = alloc('inbox', u32, chunks * count);
    const ready = alloc('ready', u32, 2);
    const out = alloc('out', u32, chunks * count);
    return {
      args: [peer(inbox, 1), peer(ready, 1), out, chunks, count, rank],
      expect: () => (rank === 0 ? [] : out.equals((i) => 100 * Math.floor(i / count) + (i % count))),
    };
  },
});
