import { f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const count = 4;
const Neighbours = struct({ next: ptr, next_came: ptr, prev_read: ptr });

export default harness({
  kernel: 'kernel.ptx',
  entry: 'allGatherRing',
  grid: 1,
  block: count,
  launches: 2,
  setup({ rank, nRanks, alloc, peer, launches }) {
    const mine = alloc('mine', f32, count, (i) => 10 * rank + i);
    const all = alloc('all', f32, count * nRanks);
    const came = alloc('came', u32, 1);
    const read = alloc('read', u32, 1);
    const out = alloc('out', f32, count * nRanks);
    const [next, prev] = [(rank + 1) % nRanks, (rank + nRanks - 1) % nRanks];
    const ring = Neighbours({ next: peer(all, next), next_came: peer(came, next), prev_read: peer(read, prev) });
    return {
      args: (launch) => [ring, mine, all, came, read, out, count, rank, nRanks, launch],
      expect: () => out.equals((i) => 10 * Math.floor(i / count) + (i % count) + launches - 1),
    };
  },
});
