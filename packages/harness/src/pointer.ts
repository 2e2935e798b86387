import type { Allocation } from './allocation.ts';

/** The address of a byte of an allocation at a rank. */
export interface Pointer {
  readonly allocation: Allocation;
  readonly rank: number;
  readonly offset: number;
}
