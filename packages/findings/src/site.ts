import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { Span } from '@nccl-ts/ir';

/** Places in the kernel that generated code refers to by number. */
export interface Site {
  readonly span: Span;
  /** What stands there: `load`, `store`, `atomic`, `wait`, `sync`, `div`, `assert`, ... */
  readonly what: string;
  /** Of a load: whether its thread waits by it. */
  readonly polls?: true;
  /** Of what accesses memory: how. */
  readonly access?: SiteAccess;
}

export interface SiteAccess {
  readonly bytes: number;
  /** Both absent for plain accesses. */
  readonly order: MemoryOrder | undefined;
  readonly scope: MemoryScope | undefined;
  /** True if it is a volatile access of PTX. */
  readonly volatile?: true;
  /** True if the address comes from a multicast address. */
  readonly multicast: boolean;
  /** Of an atomic: whether it adds an integer, and nobody asks what was there. */
  readonly adds?: boolean;
  /** Of an atomic in a loop that applies a function to a word: which, as a text. @see CasLoop */
  readonly applies?: string;
}
