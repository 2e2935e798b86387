import type { CtaIdentity } from '@nccl-ts/transport';
import type { HeapViews } from './heap-views.ts';

/** Receives what threads do at the barrier of their cluster. */
export interface ClusterReports {
  /** A thread arrives. `releases` is true if that also releases its earlier accesses. */
  clusterArrives(thread: number, releases: boolean): void;
  /** A thread has waited for the arrivals of all. */
  clusterPasses(thread: number): void;
}

/** A thread, and the source location of what it does. */
export interface ClusterCaller {
  readonly cta: CtaIdentity;
  readonly thread: number;
  readonly site: number;
  readonly watch?: ClusterReports | undefined;
}

/** A CTA's place in its cluster. */
export interface ClusterMember {
  readonly rank: number;
  /** The shared memory of the whole cluster, and the first address and region of this CTA in it. */
  readonly shared: HeapViews;
  readonly base: number;
  readonly regions: number;
}

/** The clusters of a launch, and their barriers. */
export interface ClusterPort {
  /** A CTA starts that has `bytes` of shared memory, with `regions` regions. */
  join(cta: CtaIdentity, bytes: number, regions: number): ClusterMember;
  /** A thread arrives at the barrier of the cluster. It does not wait. */
  arrive(caller: ClusterCaller, arrival: ClusterArrival): void;
  /** True if all threads of the cluster have arrived that have not ended, as often as this one. */
  isMet(cta: CtaIdentity, thread: number): boolean;
  /** The number of threads that a waiting thread lacks. */
  lacks(cta: CtaIdentity, thread: number): number;
  /** A thread has waited for the barrier. */
  acquire(caller: ClusterCaller): void;
  /** A thread ends. */
  leave(cta: CtaIdentity, thread: number): void;
}

export interface ClusterArrival {
  /** True if it also releases the earlier accesses of its thread. */
  readonly releases: boolean;
  /** True if all threads of a warp that have not ended must be at the same statement. */
  readonly isAligned: boolean;
}
