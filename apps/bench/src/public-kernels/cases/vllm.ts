import { bf16, customAllReduce, harness } from '@nccl-ts/harness';
import { inputAt, partsOf, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

/** `kMaxBlocks`, and the threads that its host code launches. */
const [MOST_CTAS, THREADS] = [36, 512];

function customReduce(stages: 1 | 2): PublicKernel {
  return {
    name: `vllm-${stages}stage`,
    source: `vLLM: cross_device_reduce_${stages}stage<bf16, 2>, as FlashInfer ships it`,
    sizes: sizesUpTo(16 << 20),
    harness: (bytes) => {
      const packs = bytes / 16;
      return harness({
        kernel: 'vllm.ptx',
        entry: `cross_device_reduce_${stages}stage`,
        ranks: 2,
        grid: Math.min(MOST_CTAS, partsOf(packs, THREADS)),
        block: THREADS,
        launches: 1,
        setup({ rank, ranks, alloc, peer, sum }) {
          const count = bytes / 2;
          const input = alloc('input', bf16, count, (i) => inputAt(rank, i));
          const result = alloc('result', bf16, count);
          const { rankData, rankSignals, signal } = customAllReduce(
            { ranks, alloc, peer },
            { input, signal: 'counters', scratchBytes: bytes },
          );
          return {
            args: [rankData, rankSignals, signal, result, rank, packs],
            expect: () => result.equals((i) => sum((r) => inputAt(r, i))),
          };
        },
      });
    },
  };
}

/** vLLM's custom AllReduce. */
export const vllm: readonly PublicKernel[] = [customReduce(1), customReduce(2)];
