import { f32, harness } from '@nccl-ts/harness';

/** 2, 4 or 8: `world_size` of the compiled kernel. */
const ranks = 2;

const [rows, columns] = [8, 128];

/**
 * The one-shot AllReduce of CuTe's examples. Negative zero means that the data has not arrived.
 * Launches take turns on three buffers, and each clears the next one. `rank` is an argument here,
 * and the buffer of the rank itself is the last argument.
 */
export default harness({
  entry: /AllReduceOneShotLamportKernel/,
  ranks,
  grid: rows / 4,
  block: 128,
  launches: 4,
  setup({ rank, ranks: all, nRanks, alloc, peer }) {
    const count = rows * columns;
    const input = alloc('local_input', f32, count, (i) => rank + (i % 16) + 1);
    const output = alloc('local_output', f32, count);
    const buffer = alloc('buffers', f32, 3 * nRanks * count, () => -0);
    return {
      args: (launch) => [...all.map((r) => peer(buffer, r)), input, output, launch, rank, buffer],
      between: (launch: number) => input.write((i) => (launch + 1) * (rank + (i % 16) + 1)),
      expect: () => output.equals((i) => 4 * all.reduce((sum, r) => sum + r + (i % 16) + 1, 0)),
    };
  },
});
