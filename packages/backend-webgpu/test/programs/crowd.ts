import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Every CTA waits for the last one, and then stores its number. Word 0 is the flag. */
export const crowd = kernel(
  { name: 'crowd', use: { lsa }, params: { win: window } },
  ({ lsa, waitUntil, blockIdx, gridDim, u32 }, { win }) => {
    const words = lsa.localPointer(win, u32, 0);
    const id = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (id === gridDim.x * gridDim.y * gridDim.z - 1) words.store(0, 1, 'release');
    waitUntil(() => words.load(0, 'acquire') === 1);
    words.store(1 + id, id * 3 + 1);
  },
);
