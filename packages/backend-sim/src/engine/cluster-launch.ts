import { NcclError } from '@nccl-ts/core';
import { clusterCtas, type ClusterSize } from '@nccl-ts/ir';
import type { LaunchConfig } from '@nccl-ts/transport';

/**
 * Refuses a grid that is not a whole number of clusters, and clusters that a device cannot hold.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`
 * @see cudaErrorInvalidClusterSize
 */
export function checkClusterLaunch(
  { grid }: Pick<LaunchConfig, 'grid'>,
  cluster: ClusterSize | undefined,
  residentCtas: number,
): void {
  if (cluster === undefined) return;
  const text = ({ x, y, z }: ClusterSize): string => [x, y, z].join(' x ');
  if (grid.x % cluster.x !== 0 || grid.y % cluster.y !== 0 || grid.z % cluster.z !== 0) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `launch: a grid of ${text(grid)} CTAs is not a whole number of clusters of ${text(cluster)}; make each size of the grid a multiple of that of the cluster.`,
    );
  }
  const ctas = clusterCtas(cluster);
  if (ctas <= residentCtas) return;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `launch: the ${ctas} CTAs of a cluster run together, but the device holds ${residentCtas}; raise residentCtas.`,
  );
}
