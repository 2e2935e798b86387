import { array, f32, harness, ptr, struct, u64 } from '@nccl-ts/harness';

const count = 8;
const Peers = struct({ lines: array(ptr, 8) });

export default harness({
  kernel: 'kernel.ptx',
  entry: 'allReduceLL',
  grid: 1,
  block: 4,
  // The third launch is the first that uses a half of the inbox again.
  launches: 3,
  setup({ rank, nRanks, alloc, peers, sum }) {
    const lines = alloc('lines', u64, 2 * nRanks * count);
    const data = alloc('data', f32, count, (i) => rank + i);
    const out = alloc('out', f32, count);
    return {
      args: (launch) => [Peers({ lines: peers(lines) }), data, out, count, rank, nRanks, launch],
      expect: () => out.equals((i) => sum((r) => r + i)),
    };
  },
});
