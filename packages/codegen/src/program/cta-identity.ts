import type { CtaIdentity, Dim3 } from '@nccl-ts/transport';

/** Returns the identity of CTA number `index` of a launch; x varies fastest. */
export function ctaIdentity(
  { rank, grid, block }: { readonly rank: number; readonly grid: Dim3; readonly block: Dim3 },
  index: number,
): CtaIdentity {
  const { x, y } = grid;
  return {
    rank,
    blockIdx: { x: index % x, y: Math.floor(index / x) % y, z: Math.floor(index / (x * y)) },
    gridDim: grid,
    blockDim: block,
  };
}

/** Returns the number of a CTA in its launch, from its indices. */
export function ctaIndex({ blockIdx: { x, y, z }, gridDim }: Pick<CtaIdentity, 'blockIdx' | 'gridDim'>): number {
  return x + gridDim.x * (y + gridDim.y * z);
}
