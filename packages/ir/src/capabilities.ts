import type { ScalarKind } from '@nccl-ts/core';

/**
 * A mistake of a kernel that a backend may report. If it is not reported, the behaviour is
 * undefined.
 *
 * - `bounds`, `alignment`: an access outside its window or array, or to a misaligned address.
 * - `fault`: integer division by zero, or a failed `assert`.
 * - `deadlock`: threads that wait forever.
 * - `misuse`: a violated rule of the device API that NCCL leaves unchecked.
 */
export type Check = 'bounds' | 'alignment' | 'fault' | 'deadlock' | 'misuse';

/** The features of a backend. Frozen, JSON-serialisable, constant for a backend's lifetime. */
export interface Capabilities {
  readonly backend: string;
  /** Scalars that may be computed with and stored. */
  readonly scalars: readonly ScalarKind[];
  /** Threads of a CTA. */
  readonly maxBlockThreads: number;
  /** Bytes of shared arrays of a CTA. */
  readonly maxSharedBytes: number;
  /** Waits and `coop.sync` after threads of a CTA may have taken different paths. */
  readonly divergentWaits: boolean;
  /** Groups smaller than a CTA that wait or meet. */
  readonly subgroups: boolean;
  readonly print: boolean;
  /**
   * Multicast addresses: over the LSA team, and over teams in the requirements of device
   * communicators.
   */
  readonly multimem: boolean;
  /**
   * Pointers made of device addresses (`addressPointer`), and the addresses of pointers. Default:
   * none.
   */
  readonly addressPointers?: boolean;
  /**
   * Names of the calls that the backend emits in its own code: primitives, which have no portable
   * body, and intrinsics and session methods. It never runs the portable body of the latter, which
   * may contain primitives that it lacks.
   */
  readonly primitives: readonly string[];
  /** Mistakes that it reports. Default: none. */
  readonly checks?: readonly Check[];
}
