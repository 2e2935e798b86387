import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import type { Span } from '@nccl-ts/ir';

/** The source locations in the kernel that generated code refers to by number. */
export interface Site {
  readonly span: Span;
  /** The kind of statement: `load`, `store`, `atomic`, `wait`, `sync`, `div`, `assert`, ... */
  readonly what: string;
  /** For a load: true if its thread waits with it. */
  readonly polls?: true;
  /** For a load or an atomic: true if its thread waits for others there. */
  readonly waits?: true;
  /** True for a load that GPUs may serve from a cache which no store updates. */
  readonly isNonCoherent?: true;
  /** For a memory access: its kind. */
  readonly access?: SiteAccess;
}

export interface SiteAccess {
  readonly bytes: number;
  /** Both absent for plain accesses. */
  readonly order: MemoryOrder | undefined;
  readonly scope: AccessScope | undefined;
  /** True for a volatile access of PTX. */
  readonly volatile?: true;
  /** True for an atomic of PTX that names no scope. */
  readonly unscoped?: true;
  /** True if the address is a multicast address. */
  readonly multicast: boolean;
  /** True if it is one copy of an ordinary store through a multicast address. */
  readonly broadcast?: true;
  /** True if a reduction of the fabric makes it. */
  readonly fabric?: true;
  /** For an atomic: true if it adds an integer, and its result is not used. */
  readonly adds?: boolean;
  /**
   * For an atomic that applies a function to a word, in a loop or alone, and whose result is not
   * used for anything else: the function, as text. Changes by the same one may come in any order.
   *
   * @see CasLoop
   */
  readonly applies?: string;
}
