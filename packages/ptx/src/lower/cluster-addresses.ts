import {
  binary,
  builtin,
  clusterCtas,
  clusterPointer,
  constant,
  pointerOffset,
  type Builtin,
  type ClusterSize,
  type Expression,
} from '@nccl-ts/ir';
import { u32Constant } from './module-builder.ts';

// In a kernel with clusters, an address of shared memory has the rank of its CTA from bit 24 on, as
// on GPUs. The bits below are the offset in that CTA. Without clusters the rank is 0.

const RANK_AT = u32Constant(24);
const OFFSET = u32Constant(0xff_ffff);

/** The most CTAs of a cluster on any GPU. */
export const MOST_CLUSTER_CTAS = 16;

type Axis = 'x' | 'y' | 'z';

/** The index of a CTA in its cluster along an axis. */
export function indexInCluster(axis: Axis, { [axis]: size }: ClusterSize): Expression {
  return size === 1 ? u32Constant(0) : binary('rem', blockIndex(axis), u32Constant(size));
}

/** The index of the cluster in the grid along an axis. */
export function clusterIndex(axis: Axis, { [axis]: size }: ClusterSize): Expression {
  return size === 1 ? blockIndex(axis) : binary('div', blockIndex(axis), u32Constant(size));
}

function blockIndex(axis: Axis): Expression {
  return builtin(`blockIdx.${axis}` satisfies Builtin);
}

/** The rank of the thread's CTA in its cluster; x varies fastest. */
export function ownRank(cluster: ClusterSize | undefined): Expression {
  if (cluster === undefined || clusterCtas(cluster) === 1) return u32Constant(0);
  const rows = combined(indexInCluster('y', cluster), cluster.y, indexInCluster('z', cluster), cluster.z);
  return combined(indexInCluster('x', cluster), cluster.x, rows, cluster.y * cluster.z);
}

/** `inner + size * outer`, where `outer` is less than `count`. */
function combined(inner: Expression, size: number, outer: Expression, count: number): Expression {
  if (count === 1) return inner;
  return size === 1 ? outer : binary('add', inner, binary('mul', u32Constant(size), outer));
}

/** The bits of an address that name the CTA with this rank. */
export function rankBits(rank: Expression): Expression {
  return rank.kind === 'constant' && rank.value === 0 ? rank : binary('shl', rank, RANK_AT);
}

/** The address of the same byte in the CTA with this rank. */
export function withRank(at: Expression, rank: Expression): Expression {
  return binary('or', binary('and', at, OFFSET), binary('shl', rank, RANK_AT));
}

/** The rank of the CTA of an address. */
export function rankOf(at: Expression): Expression {
  return binary('shr', at, RANK_AT);
}

/** The offset of an address in the thread's own CTA. For another CTA it is out of bounds. */
export function ofOwnCta(at: Expression, cluster: ClusterSize | undefined): Expression {
  return cluster === undefined || clusterCtas(cluster) === 1 ? at : binary('sub', at, rankBits(ownRank(cluster)));
}

/** The pointer to the bytes at an address. `memory` is the start of the CTA's own shared memory. */
export function inCluster(memory: Expression, at: Expression, cluster: ClusterSize | undefined): Expression {
  if (cluster === undefined) return at.kind === 'constant' && at.value === 0 ? memory : pointerOffset(memory, at);
  return pointerOffset(clusterPointer(memory, rankOf(at)), binary('and', at, OFFSET));
}

/** True if the launch states the size of its clusters. */
export function isExplicit(cluster: ClusterSize | undefined): Expression {
  return constant('bool', cluster !== undefined);
}
