import type { Module } from '@nccl-ts/ir';
import { kernel, u32 } from '@nccl-ts/kernel';
import { window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';

/** The purpose of such a launch, in findings. */
export const REWRITING = 'a rewriting of the windows';

const rewrites = /* @__PURE__ */ kernel(
  { name: 'rewrites', use: { lsa }, params: { win: window, words: u32 } },
  ({ lsa, threadIdx, blockDim, u32 }, { win, words }) => {
    const own = lsa.localPointer(win, u32, 0);
    for (let i = threadIdx.x; i < words; i += blockDim.x) own.store(i, own.load(i));
  },
);

/**
 * A kernel that loads each word of a rank's part of a window, and stores it again. Before a
 * launch, a producer of the inputs does the same; after one, a consumer that reuses the outputs.
 * The values stay, so that the program computes the same. The arguments are the window, and the
 * number of words.
 */
export function rewritingKernel(): Module {
  return rewrites.compile();
}
