import { bf16, harness, u32 } from '@nccl-ts/harness';
import { descriptor } from './kraken-params.ts';

/** The rows of each rank, the columns of the result, and the length of the sums. */
const [m, n, k] = [32, 32, 32];

/**
 * The product, copies by the copy engine and the sum of Kraken's gemm_reduce_scatter_ce_persistent:
 * a stream waits for the word that the last tile of a rank's part writes, and copies that part. The
 * hosts meet where Kraken has a barrier of symmetric memory.
 */
export default harness({
  kernels: {
    product: {
      kernel: ({ rank }) => `kraken-gemm-producer-rank${rank}.ptx`,
      entry: '_gemm_producer_persistent_kernel',
      grid: 2,
      block: 128,
      dynamicShared: 16_384,
    },
    reduce: {
      kernel: ({ rank }) => `kraken-reduce-rank${rank}.ptx`,
      entry: '_reduce_persistent_kernel',
      grid: 1,
      block: 128,
      dynamicShared: 16_384,
    },
  },
  ranks: 2,
  launches: 1,
  setup({
    rank,
    ranks,
    nRanks,
    alloc,
    peer,
    launch,
    memcpy,
    memset,
    waitWord,
    record,
    waitEvent,
    synchronize,
    hostBarrier,
  }) {
    const rows = m * nRanks;
    const a = (of: number, round: number, row: number, i: number) => (row + i + round + of) % 3;
    const b = (column: number, i: number) => (column + 2 * i) % 3;
    const input = alloc('a', bf16, rows * k);
    const bT = alloc('bT', bf16, n * k, (i) => b(Math.floor(i / k), i % k));
    const product = alloc('gemm_out', bf16, rows * n);
    const parts = alloc('scatter_out', bf16, rows * n);
    const output = alloc('output', bf16, m * n);
    const progress = alloc('progress', u32, nRanks);
    const signals = alloc('signal_pad', u32, nRanks);
    const copies = { stream: 1 };
    return {
      steps: (round) => [
        input.write((i) => a(rank, round, Math.floor(i / k), i % k)),
        memset(progress, 0),
        memset(signals, 0),
        synchronize(),
        hostBarrier(),
        record(0),
        waitEvent(0, copies),
        launch('product', [
          ...descriptor(input, rows, k),
          ...descriptor(bT, n, k),
          ...descriptor(product, rows, n),
          progress,
          signals,
          rows,
          n,
          k,
          null,
          null,
        ]),
        ...ranks.flatMap((step) => {
          const to = (rank + step + 1) % nRanks;
          return [
            waitWord(peer(signals, rank, 4 * to), 1, { ...copies, condition: 'eq' }),
            memcpy(peer(parts, to, 2 * m * n * rank), peer(product, rank, 2 * m * n * to), 2 * m * n, copies),
          ];
        }),
        record(1, copies),
        waitEvent(1),
        synchronize(),
        hostBarrier(),
        launch('reduce', [...descriptor(parts, rows, n), ...descriptor(output, m, n), m, n, null, null]),
        synchronize(),
        hostBarrier(),
      ],
      expect: () =>
        output.equals((at) => {
          const [row, column] = [rank * m + Math.floor(at / n), at % n];
          const part = (of: number) =>
            Array.from({ length: k }, (_, i) => a(of, 0, row, i) * b(column, i)).reduce((sum, one) => sum + one);
          return ranks.reduce((sum, of) => sum + part(of), 0);
        }),
    };
  },
});
