import type { CtaIdentity, Dim3 } from '@nccl-ts/transport';
import type { ClusterSize } from '@nccl-ts/ir';
import { ctaIndex } from './cta-identity.ts';

/** Where a CTA is in the clusters of its grid. */
export interface ClusterPlace {
  /** The number of its cluster in the grid; x varies fastest. */
  readonly cluster: number;
  /** Its rank in the cluster; x varies fastest. */
  readonly rank: number;
}

type Placed = Pick<CtaIdentity, 'blockIdx' | 'gridDim'>;

/** The place of a CTA. The grid is a multiple of `size`. */
export function clusterPlace({ blockIdx, gridDim }: Placed, size: ClusterSize): ClusterPlace {
  const of = (axis: keyof Dim3): number => Math.floor(blockIdx[axis] / size[axis]);
  const [columns, rows] = [gridDim.x / size.x, gridDim.y / size.y];
  return {
    cluster: of('x') + columns * (of('y') + rows * of('z')),
    rank: (blockIdx.x % size.x) + size.x * ((blockIdx.y % size.y) + size.y * (blockIdx.z % size.z)),
  };
}

/** The number in its launch of the CTA with this place. */
export function ctaOfPlace(gridDim: Dim3, size: ClusterSize, { cluster, rank }: ClusterPlace): number {
  const [columns, rows] = [gridDim.x / size.x, gridDim.y / size.y];
  const x = (cluster % columns) * size.x + (rank % size.x);
  const y = (Math.floor(cluster / columns) % rows) * size.y + (Math.floor(rank / size.x) % size.y);
  const z = Math.floor(cluster / (columns * rows)) * size.z + Math.floor(rank / (size.x * size.y));
  return ctaIndex({ blockIdx: { x, y, z }, gridDim });
}
