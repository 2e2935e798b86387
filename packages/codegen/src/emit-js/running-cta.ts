import type { ClusterMember } from '../program/cluster-port.ts';
import type { HeapViews } from '../program/heap-views.ts';
import type { Cta } from '../program/program.ts';

/** A CTA as generated code builds it, with the fields that support functions use. */
export interface RunningCta extends Cta {
  readonly dead?: Uint8Array;
  /** The CTA's shared arrays. */
  readonly shared?: HeapViews;
  /** Its place in its cluster, for kernels with clusters. */
  readonly member?: ClusterMember;
}
