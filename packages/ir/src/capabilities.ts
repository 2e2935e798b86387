import type { ScalarKind } from '@nccl-ts/core';

/**
 * A mistake of a kernel that a backend may report: an access outside of its window or array, or to
 * a misaligned address; integer division by zero or a failed `assert`; a deadlock; a rule of the
 * device API that NCCL leaves unchecked. Where it is not reported, what happens is undefined.
 */
export type Check = 'bounds' | 'alignment' | 'fault' | 'deadlock' | 'misuse';

/** What a backend can run. Frozen, JSON-serialisable, constant for a backend's lifetime. */
export interface Capabilities {
  readonly backend: string;
  /** Scalars that may be computed with and stored. */
  readonly scalars: readonly ScalarKind[];
  /** Threads of a CTA. */
  readonly maxBlockThreads: number;
  /** Bytes of shared arrays of a CTA. */
  readonly maxSharedBytes: number;
  /** Waits and `coop.sync` where threads of a CTA may have gone different ways. */
  readonly divergentWaits: boolean;
  /** Groups smaller than a CTA that wait or meet. */
  readonly subgroups: boolean;
  readonly print: boolean;
  /** Multicast addresses: over the LSA team, and over teams that device communicators ask for. */
  readonly multimem: boolean;
  /**
   * Pointers made of device addresses (`addressPointer`), and the addresses of pointers. Default:
   * none.
   */
  readonly addressPointers?: boolean;
  /**
   * Names of the calls that the backend writes in words of its own: primitives, which have no
   * portable body, and intrinsics and session methods whose portable body it never runs, and which
   * may hold primitives that it lacks.
   */
  readonly primitives: readonly string[];
  /** Mistakes that it reports. Default: none. */
  readonly checks?: readonly Check[];
}
