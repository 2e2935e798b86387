import type { Allocation } from './allocation.ts';

/** The address of a byte of an allocation at a rank, known once the memory is there. */
export interface Pointer {
  readonly kind: 'pointer';
  readonly allocation: Allocation;
  /** A rank; `multicast`: all of them at once. */
  readonly rank: number | 'multicast';
  /** In bytes. */
  readonly offset: number;
}

/**
 * May stand where an address is wanted: a pointer; an allocation, for its address at the rank that
 * is set up; or null.
 */
export type Address = Pointer | Allocation | null;

/** `signal of rank 1, byte 32`. */
export function pointerText({ allocation, rank, offset }: Pointer): string {
  return `${allocation.name} of ${rank === 'multicast' ? 'all ranks' : `rank ${rank}`}, byte ${offset}`;
}
