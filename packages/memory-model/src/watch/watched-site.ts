import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

/** What an access does with its bytes. */
export type AccessKind = 'load' | 'store' | 'atomic';

/** A place in a program that accesses memory, and how. */
export interface WatchedSite {
  readonly kind: AccessKind;
  readonly bytes: number;
  /** Absent for plain accesses. */
  readonly access?: { readonly order: MemoryOrder; readonly scope: MemoryScope } | undefined;
  /** True if it is a volatile access of PTX. */
  readonly volatile?: boolean | undefined;
  /** Of a load: whether its thread waits by it. */
  readonly polls?: boolean | undefined;
  /** Of a read-modify-write: whether it adds an integer, and nobody asks what was there. */
  readonly adds?: boolean | undefined;
  /**
   * Of one in a loop that applies a function to the word, and forgets it then: which, by a name.
   */
  readonly applies?: string | undefined;
  /**
   * Of a strong load, asked for where somebody counts: the places of its program by which what is
   * read comes out of its thread; `undefined`, and absent, where it does so in another way.
   */
  readonly usedAt?: (() => ReadonlySet<number> | undefined) | undefined;
  /** True if it goes through a multicast address. */
  readonly multicast?: boolean | undefined;
}
