import type { Body } from './statement.ts';
import type { Source, Span } from './span.ts';
import type { Type, ValueType } from './type.ts';

/**
 * A kernel parameter as the launch passes it. Composite parameters are flattened and have dotted
 * names.
 */
export interface Param {
  readonly name: string;
  readonly type: Type;
}

/** A variable of a thread. `name` is the author's, for reports. It need not be unique. */
export interface Local {
  readonly name: string;
  readonly type: Type;
  readonly span: Span;
}

/** A fixed-size array: `shared` once per CTA, `local` once per thread. */
export interface ArrayDeclaration {
  readonly name: string;
  readonly space: 'shared' | 'local';
  readonly element: ValueType;
  readonly length: number;
  readonly span: Span;
}

/** The number of CTAs of a cluster along each axis. */
export interface ClusterSize {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The number of CTAs of a cluster; 1 without clusters. */
export function clusterCtas(cluster: ClusterSize | undefined): number {
  return cluster === undefined ? 1 : cluster.x * cluster.y * cluster.z;
}

/** A kernel, with everything that it calls. */
export interface Module {
  readonly name: string;
  /**
   * The NCCL version (`ncclVersionCode`) whose device API the kernel was built for. If absent, it
   * is the runtime's version. Only the launch reads it.
   */
  readonly apiVersion?: number;
  /**
   * The CTAs of a cluster along x, y and z, together more than one. If absent, every CTA is a
   * cluster by itself. The grid must be a multiple of it.
   */
  readonly cluster?: ClusterSize;
  readonly params: readonly Param[];
  readonly locals: readonly Local[];
  readonly arrays: readonly ArrayDeclaration[];
  readonly body: Body;
  readonly sources: readonly Source[];
}
