import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Sums the results of a token's experts, weighted by its routes. It works with any grid, and no
 * rank waits for another.
 */
export const weighTokens = kernel(
  {
    name: 'weighTokens',
    use: { lsa },
    params: { returned: window, weights: window, out: window, tokens: u32, topK: u32, hidden: u32 },
  },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, f32, u32 }, { returned, weights, out, tokens, topK, hidden }) => {
    const results = lsa.localPointer(returned, f32, 0);
    const weight = lsa.localPointer(weights, f32, 0);
    const sums = lsa.localPointer(out, f32, 0);
    for (let token = blockIdx.x; token < tokens; token += gridDim.x) {
      for (let i = threadIdx.x; i < hidden; i += blockDim.x) {
        let sum = f32(0);
        for (let k = u32(0); k < topK; k++) {
          const choice = token * topK + k;
          sum += results[choice * hidden + i]! * weight[choice]!;
        }
        sums[token * hidden + i] = sum;
      }
    }
  },
);
