import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';
import { inputAt, partsOf, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

const MOST_CTAS = 24;

const oneShot: PublicKernel = {
  name: 'triton-one-shot',
  source: 'symm-mem-recipes: one_shot_all_reduce_kernel, BLOCK_SIZE 512, 16 warps',
  sizes: sizesUpTo(4 << 20),
  harness: (bytes) =>
    harness({
      kernel: `triton-one-shot-${bytes}.ptx`,
      entry: 'one_shot_all_reduce_kernel',
      ranks: 2,
      grid: Math.min(MOST_CTAS, partsOf(bytes / 16, 512)),
      block: 512,
      launches: 1,
      setup({ rank, alloc, peers, sum }) {
        const count = bytes / 2;
        const data = alloc('buffer', bf16, count, (i) => inputAt(rank, i));
        const pads = alloc('signal_pad', u32, 2 * 64);
        const output = alloc('output', bf16, count);
        return {
          args: [alloc('buffer_ptrs', ptr, peers(data)), alloc('pad_ptrs', ptr, peers(pads)), output, rank, 0, 0],
          expect: () => output.equals((i) => sum((r) => inputAt(r, i))),
        };
      },
    }),
};

const twoShot: PublicKernel = {
  name: 'triton-two-shot',
  source: 'Kraken: two_shot_all_reduce_kernel, BLOCK_SIZE 2048, 32 warps',
  sizes: sizesUpTo(16 << 20),
  harness: (bytes) =>
    harness({
      kernel: ({ rank }) => `triton-two-shot-${rank}.ptx`,
      entry: 'two_shot_all_reduce_kernel',
      ranks: 2,
      grid: Math.min(MOST_CTAS, partsOf(bytes / 2, 4096)),
      block: 1024,
      launches: 1,
      setup({ rank, alloc, peers, sum }) {
        const count = bytes / 2;
        const data = alloc('buffer', bf16, count);
        const pads = alloc('signal_pad', u32, 2 * 64);
        const input = alloc('input', bf16, count, (i) => inputAt(rank, i));
        const output = alloc('output', bf16, count);
        return {
          args: [
            alloc('buffer_ptrs', ptr, peers(data)),
            alloc('pad_ptrs', ptr, peers(pads)),
            input,
            output,
            count,
            0,
            0,
          ],
          expect: () => output.equals((i) => sum((r) => inputAt(r, i))),
        };
      },
    }),
};

/** AllReduces by Triton over PyTorch's symmetric memory. */
export const triton: readonly PublicKernel[] = [oneShot, twoShot];
