import { bf16, harness, u32 } from '@nccl-ts/harness';
import { descriptor } from './kraken-params.ts';

/** The rows of each rank, the columns of the result, and the length of its sums. */
const [m, n, k] = [32, 32, 32];

/**
 * An all-gather by the copy engine and the product, of Kraken's all_gather_matmul: the kernel waits
 * for the words that the stream of the copies writes. The hosts meet where Kraken has a barrier of
 * symmetric memory.
 */
export default harness({
  kernels: {
    matmul: {
      kernel: ({ rank }) => `kraken-all-gather-matmul-rank${rank}.ptx`,
      entry: '_matmul_kernel_tma_persistent_w_progress',
      grid: 2,
      block: 128,
      dynamicShared: 16_384,
    },
  },
  ranks: 2,
  streams: 1,
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
    writeWord,
    record,
    waitEvent,
    synchronize,
    hostBarrier,
  }) {
    const rows = m * nRanks;
    const a = (round: number, row: number, i: number) => (row + i + round) % 3;
    const b = (column: number, i: number) => (column + 2 * i) % 3;
    const shared = alloc('a_shared', bf16, m * k);
    const gathered = alloc('a_out', bf16, rows * k);
    const bT = alloc('bT', bf16, n * k, (i) => b(Math.floor(i / k), i % k));
    const c = alloc('c', bf16, rows * n);
    const progress = alloc('progress', u32, nRanks);
    const copies = { stream: 1 };
    return {
      steps: (round) => [
        shared.write((i) => a(round, rank * m + Math.floor(i / k), i % k)),
        memset(progress, 0),
        synchronize(),
        hostBarrier(),
        record(0),
        waitEvent(0, copies),
        ...ranks.flatMap((step) => {
          const from = (rank + step + 1) % nRanks;
          return [
            memcpy(peer(gathered, rank, 2 * m * k * from), peer(shared, from), 2 * m * k, copies),
            writeWord(peer(progress, rank, 4 * from), 1, copies),
          ];
        }),
        launch('matmul', [
          ...descriptor(shared, m, k),
          ...descriptor(gathered, rows, k),
          ...descriptor(bT, n, k),
          ...descriptor(c, rows, n),
          progress,
          rows,
          n,
          k,
          null,
          null,
        ]),
        record(1, copies),
        waitEvent(1),
        synchronize(),
        hostBarrier(),
      ],
      expect: () =>
        c.equals((at) => {
          const [row, column] = [Math.floor(at / n), at % n];
          return Array.from({ length: k }, (_, i) => a(0, row, i) * b(column, i)).reduce((sum, one) => sum + one);
        }),
    };
  },
});
