import { f32, harness, ptr, u32 } from '@nccl-ts/harness';

const block = 32;
const grid = 2;
const count = 40;

/**
 * Two programs per rank. The last elements of the second are masked. Triton adds two parameters,
 * which are null here.
 */
export default harness({
  kernel: 'all_reduce.ptx',
  entry: 'all_reduce',
  ranks: 2,
  grid,
  block,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const data = alloc('data', f32, count);
    const flags = alloc('flags', u32, grid * nRanks);
    const out = alloc('out', f32, count);
    const dataPointers = alloc(
      'data_pointers',
      ptr,
      ranks.map((r) => peer(data, r)),
    );
    const flagPointers = alloc(
      'flag_pointers',
      ptr,
      ranks.map((r) => peer(flags, r)),
    );
    return {
      args: (launch) => [dataPointers, flagPointers, data, out, count, rank, launch, null, null],
      expect: () => out.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
    };
  },
});
