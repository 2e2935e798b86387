import { array, f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const [grid, block] = [2, 8];
const count = grid * block;
const Peers = struct({ data: array(ptr, 8), flags: array(ptr, 8) });

export default harness({
  kernel: 'kernel.ptx',
  entry: 'readNeighbour',
  grid,
  block,
  launches: 2,
  setup({ rank, nRanks, alloc, peers, launches }) {
    const data = alloc('data', f32, count);
    const flags = alloc('flags', u32, grid * nRanks);
    const out = alloc('out', f32, count);
    const all = Peers({ data: peers(data), flags: peers(flags) });
    const next = (rank + 1) % nRanks;
    return {
      args: (launch) => [all, out, count, rank, nRanks, launch],
      expect: () => out.equals((i) => 100 * (launches - 1) + 10 * next + i),
    };
  },
});
