import { array, f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

/** Vectors of four numbers. */
const size = 16;
const grid = 2;
const Peers = struct({ data: array(ptr, 8) });
const Signals = struct({ flags: array(ptr, 8) });

export default harness({
  kernel: 'kernel.ptx',
  entry: 'oneShot',
  // The kernel is compiled for this number.
  ranks: 2,
  grid,
  block: 8,
  launches: 2,
  setup({ rank, nRanks, alloc, peers, sum, launches }) {
    const data = alloc('data', f32, 4 * size, (i) => rank + i);
    const flags = alloc('flags', u32, grid * nRanks);
    const out = alloc('out', f32, 4 * size);
    return {
      args: (launch) => [Peers({ data: peers(data) }), Signals({ flags: peers(flags) }), out, rank, size, launch],
      // The data of the next launch, as the kernel before it would write it.
      between: (launch) => data.write((i) => launch + rank + i),
      expect: () => out.equals((i) => sum((r) => launches - 1 + r + i)),
    };
  },
});
