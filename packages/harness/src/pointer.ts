import type { Allocation } from './allocation.ts';

/** The address of a byte of an allocation at a rank, known once the memory is allocated. */
export interface Pointer {
  readonly kind: 'pointer';
  readonly allocation: Allocation;
  /** A rank; `multicast`: all of them at once. */
  readonly rank: number | 'multicast';
  /** In bytes. */
  readonly offset: number;
}

/**
 * A value where an address is expected: a pointer; an allocation, for its address at the rank being
 * set up; or null.
 */
export type Address = Pointer | Allocation | null;

/** `signal of rank 1, byte 32`. */
export function pointerText({ allocation, rank, offset }: Pointer): string {
  return `${allocation.name} of ${rank === 'multicast' ? 'all ranks' : `rank ${rank}`}, byte ${offset}`;
}
