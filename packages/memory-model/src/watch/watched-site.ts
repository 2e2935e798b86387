import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

/** The effect of an access on its bytes. */
export type AccessKind = 'load' | 'store' | 'atomic';

/** A source position in a program that accesses memory, and how. */
export interface WatchedSite {
  readonly kind: AccessKind;
  readonly bytes: number;
  /** Absent for plain accesses. */
  readonly access?: { readonly order: MemoryOrder; readonly scope: MemoryScope } | undefined;
  /** True if it is a volatile access of PTX. */
  readonly volatile?: boolean | undefined;
  /** For a load: true if its thread waits by it. */
  readonly polls?: boolean | undefined;
  /** For a read-modify-write: true if it adds an integer and ignores the old value. */
  readonly adds?: boolean | undefined;
  /**
   * For one in a loop that applies a function to the word and then ignores it: the name of the
   * function.
   */
  readonly applies?: string | undefined;
  /**
   * For a strong load, evaluated with `determinacy`: the source positions through which the
   * loaded value leaves its thread; `undefined`, and absent, if it leaves in another way.
   */
  readonly usedAt?: (() => ReadonlySet<number> | undefined) | undefined;
  /** True if it goes through a multicast address. */
  readonly multicast?: boolean | undefined;
  /**
   * True for a reduction of the fabric: it is strong for others of its kind only, as it goes
   * through a proxy of its own.
   */
  readonly fabric?: boolean | undefined;
}
