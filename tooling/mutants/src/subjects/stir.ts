import type { Window } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { f32, kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { WindowArg } from '@nccl-ts/devcomm';

export interface StirArgs {
  readonly to: Window | WindowArg;
  readonly from: Window | WindowArg;
  readonly words: number;
  readonly rank: number;
}

/** Makes of whole numbers below 2 ^ 24 others, of which `stirred` knows: what is made of old values is not what is made of new ones. */
export const stir: Kernel<StirArgs> = kernel(
  {
    name: 'stir',
    use: { lsa },
    params: { to: window, from: window, words: u32, rank: u32 },
  },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, u32, f32 }, { to, from, words, rank }) => {
    const target = lsa.localPointer(to, f32, 0);
    const source = lsa.localPointer(from, f32, 0);
    for (let i = threadIdx.x + blockIdx.x * blockDim.x; i < words; i += blockDim.x * gridDim.x) {
      target[i] = f32((u32(source[i]!) * 3 + rank * 7 + (i % 16)) % 251);
    }
  },
);

/** What `stir` makes of element `i` of a rank. */
export function stirred(value: number, rank: number, i: number): number {
  return (value * 3 + rank * 7 + (i % 16)) % 251;
}
