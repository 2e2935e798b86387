import { array, f32, harness, ptr, struct } from '@nccl-ts/harness';

const count = 2;
const Peers = struct({ buffers: array(ptr, 8) });

export default harness({
  kernel: 'kernel.ptx',
  entry: 'lamport',
  ranks: 2,
  grid: 1,
  block: 2,
  // The fourth launch is the first that uses a buffer again.
  launches: 4,
  setup({ rank, nRanks, alloc, peers, sum }) {
    const buffers = alloc('buffers', f32, 3 * nRanks * count, () => -0);
    const data = alloc('data', f32, count, (i) => 1 + rank + i);
    const out = alloc('out', f32, count);
    return {
      args: (launch) => [Peers({ buffers: peers(buffers) }), data, out, count, rank, nRanks, launch],
      expect: () => out.equals((i) => sum((r) => 1 + r + i)),
    };
  },
});
