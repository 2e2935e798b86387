import { bf16, harness, i32, ptr } from '@nccl-ts/harness';
import { inputAt, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

/** The words before the flags of a buffer, and the flags with the counter of CTAs. */
const [OPS, FLAG_WORDS] = [32, 2 * 32 + 1];

/** Its communicators have 16 CTAs of 1024 threads by default. */
const [CTAS, THREADS] = [16, 1024];

function userbuffers(name: string, entry: string, isGather: boolean): PublicKernel {
  return {
    name,
    source: `Transformer Engine: ${entry}<2>`,
    sizes: sizesUpTo(16 << 20),
    harness: (bytes) => {
      const lines = bytes / 16 / 2;
      return harness({
        kernel: 'te-userbuffers.ptx',
        entry: `${entry}<2>`,
        ranks: 2,
        grid: CTAS,
        block: THREADS,
        launches: 1,
        setup({ rank, nRanks, alloc, peers, sum }) {
          const part = 8 * lines;
          const data = alloc('data', bf16, 2 * part, (i) => inputAt(rank, i));
          const flags = alloc('flags', i32, OPS + FLAG_WORDS, () => 0);
          const table = alloc('commbuff', ptr, [...peers(flags), ...peers(data)]);
          const first = rank * lines;
          // op, the offset of the flags, first rank, rank, step, first line, lines, the table of
          // buffers, the handler, and the timeout in cycles.
          return {
            args: [0, OPS, 0, rank, 1, entry.includes('_rr_ag') ? 0 : first, lines, table, nRanks, 1n << 40n],
            expect: () =>
              isGather
                ? [0, 1].map((r) => data.equals((i) => inputAt(r, i), { from: r * part, count: part }))
                : data.equals((i) => sum((r) => inputAt(r, i)), { from: rank * part, count: part }),
          };
        },
      });
    },
  };
}

/** Transformer Engine's userbuffers. Sizes are those of all ranks' parts. */
export const transformerEngine: readonly PublicKernel[] = [
  userbuffers('te-reduce-scatter', 'userbuffers_fp16_sum_inplace_gpu_rr_rs', false),
  userbuffers('te-gather-push', 'userbuffers_fp16_sum_inplace_gpu_rw_ag', true),
  userbuffers('te-gather-pull', 'userbuffers_fp16_sum_inplace_gpu_rr_ag', true),
];
