import type { Window } from '@nccl-ts/communicator';
import { window, type WindowArg } from '@nccl-ts/devcomm';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

export interface StirArgs {
  readonly to: Window | WindowArg;
  readonly from: Window | WindowArg;
  readonly quads: number;
  readonly rank: number;
}

/**
 * Converts whole numbers below 2 ^ 24 to others, as `stirred` does, so that results from old values
 * differ from results from new ones. It converts `quads` groups of four.
 */
export const stir: Kernel<StirArgs> = kernel(
  {
    name: 'stir',
    use: { lsa },
    params: { to: window, from: window, quads: u32, rank: u32 },
  },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, vec, lane, u32, f32 }, { to, from, quads, rank }) => {
    const target = lsa.localPointer(to, f32, 0).cast(vec(f32, 4));
    const source = lsa.localPointer(from, f32, 0).cast(vec(f32, 4));
    const next = (value: number, i: number): number => f32((u32(value) * 3 + rank * 7 + (i % 16)) % 251);
    for (let i = threadIdx.x + blockIdx.x * blockDim.x; i < quads; i += blockDim.x * gridDim.x) {
      const old = source.load(i);
      const first = 4 * i;
      target.store(
        i,
        vec(f32, 4)(
          next(lane(old, 0), first),
          next(lane(old, 1), first + 1),
          next(lane(old, 2), first + 2),
          next(lane(old, 3), first + 3),
        ),
      );
    }
  },
);

/** The result of `stir` for element `i` of a rank. */
export function stirred(value: number, rank: number, i: number): number {
  return (value * 3 + rank * 7 + (i % 16)) % 251;
}
