import { f32, harness, u64 } from '@nccl-ts/harness';

const count = 16;

export default harness({
  kernel: 'kernel.ptx',
  entry: 'passOn',
  grid: 1,
  block: 4,
  launches: 2,
  setup({ rank, nRanks, alloc, launches }) {
    const inbox = alloc('inbox', f32, count);
    const came = alloc('came', u64, 1);
    const read = alloc('read', u64, 1);
    const data = alloc('data', f32, count, (i) => 100 * rank + i);
    const out = alloc('out', f32, count);
    const prev = (rank + nRanks - 1) % nRanks;
    return {
      args: (launch) => [inbox, came, read, data, out, count, launch],
      expect: () => out.equals((i) => 100 * prev + i + launches - 1),
    };
  },
});
