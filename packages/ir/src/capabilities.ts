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

/**
 * The features of a backend. The object is frozen and JSON-serialisable, and does not change during
 * the backend's lifetime.
 */
export interface Capabilities {
  readonly backend: string;
  /** The scalars that kernels can compute with and store. */
  readonly scalars: readonly ScalarKind[];
  /** The most threads of a CTA. */
  readonly maxBlockThreads: number;
  /** The most bytes that a CTA's shared arrays may take. */
  readonly maxSharedBytes: number;
  /**
   * True if kernels may wait, and call `coop.sync`, where threads of a CTA may have taken different
   * paths.
   */
  readonly divergentWaits: boolean;
  /** True if groups smaller than a CTA may wait and synchronize. */
  readonly subgroups: boolean;
  readonly print: boolean;
  /**
   * Support for multicast addresses: over the LSA team, and over teams in the requirements of
   * device communicators.
   */
  readonly multimem: boolean;
  /**
   * True if kernels may turn device addresses into pointers (`addressPointer`), and pointers into
   * addresses.
   *
   * @default false
   */
  readonly addressPointers?: boolean;
  /** True if the CTAs of a kernel may form clusters (`Module.cluster`). @default false */
  readonly clusters?: boolean;
  /**
   * The names of calls for which the backend emits its own code: primitives, intrinsics and session
   * methods. It never runs the portable bodies of these, so they may contain primitives that the
   * backend lacks.
   */
  readonly primitives: readonly string[];
  /** The kernel mistakes that the backend reports. @default none */
  readonly checks?: readonly Check[];
}
