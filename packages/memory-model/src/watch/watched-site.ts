import type { AccessScope, MemoryOrder } from '@nccl-ts/core';

/** The effect of an access on its bytes. */
export type AccessKind = 'load' | 'store' | 'atomic';

/** A source location in a program that accesses memory, and the kind of access. */
export interface WatchedSite {
  readonly kind: AccessKind;
  readonly bytes: number;
  /** Absent for plain accesses. */
  readonly access?:
    | { readonly order: MemoryOrder; readonly scope: AccessScope; readonly unscoped?: true | undefined }
    | undefined;
  /** True for a volatile access of PTX. */
  readonly volatile?: boolean | undefined;
  /** For a load: true if its thread waits with it. */
  readonly polls?: boolean | undefined;
  /** For a read-modify-write: true if it adds an integer and its old value is ignored. */
  readonly adds?: boolean | undefined;
  /**
   * For a read-modify-write in a loop that applies a function to the word and ignores its old
   * value: the name of the function.
   */
  readonly applies?: string | undefined;
  /**
   * For a strong load, with `determinacy`: the source locations at which the loaded value leaves
   * its thread. Absent or `undefined` if it leaves in another way.
   */
  readonly usedAt?: (() => ReadonlySet<number> | undefined) | undefined;
  /** True for a load that GPUs may serve from a cache which no store updates. */
  readonly isNonCoherent?: true | undefined;
  /** True if it goes through a multicast address. */
  readonly multicast?: boolean | undefined;
  /**
   * True for a reduction of the fabric: it is strong for others of its kind only, as it goes
   * through a proxy of its own.
   */
  readonly fabric?: boolean | undefined;
}

/** True if a thread changes a word there and uses its old value, as if it drew a ticket. */
export function decides({ kind, adds, applies }: WatchedSite): boolean {
  return kind === 'atomic' && adds !== true && applies === undefined;
}
