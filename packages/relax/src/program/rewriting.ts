import type { Module } from '@nccl-ts/ir';
import { kernel, u32 } from '@nccl-ts/kernel';
import { window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';

/** The purpose of a launch that is added around another one, in findings. */
export const REWRITING = 'a rewriting of the windows';

const rewrites = /* @__PURE__ */ kernel(
  { name: 'rewrites', use: { lsa }, params: { win: window, words: u32 } },
  ({ lsa, threadIdx, blockDim, u32 }, { win, words }) => {
    const own = lsa.localPointer(win, u32, 0);
    for (let i = threadIdx.x; i < words; i += blockDim.x) own.store(i, own.load(i));
  },
);

const reads = /* @__PURE__ */ kernel(
  { name: 'reads', use: { lsa }, params: { win: window, words: u32 } },
  ({ lsa, threadIdx, blockDim, u32 }, { win, words }) => {
    const own = lsa.localPointer(win, u32, 0);
    let sum = u32(0);
    for (let i = threadIdx.x; i < words; i += blockDim.x) sum ^= own.load(i, 'relaxed', 'system');
    // Otherwise nobody would use what is loaded.
    if (sum === 0x9e3779b9) return;
  },
);

/**
 * A kernel that loads each word of a rank's part of a window, with an order, so that it does not
 * race with stores to flags. The arguments are those of `rewritingKernel`.
 */
export function readingKernel(): Module {
  return reads.compile();
}

/**
 * A kernel that loads each word of a rank's part of a window, and stores it again. Before a
 * launch, a producer of the inputs does the same; after one, a consumer that reuses the outputs.
 * The values stay, so that the program computes the same. The arguments are the window, and the
 * number of words.
 */
export function rewritingKernel(): Module {
  return rewrites.compile();
}
