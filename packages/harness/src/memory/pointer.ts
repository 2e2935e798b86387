import type { Allocation } from './allocation.ts';

/** The address of a byte of an allocation at a rank. It is known once the memory is allocated. */
export interface Pointer {
  readonly kind: 'pointer';
  readonly allocation: Allocation;
  /** A rank, or `multicast` for all of them. */
  readonly rank: number | 'multicast';
  /** The offset in bytes. */
  readonly offset: number;
}

/**
 * An address: a pointer, null, or an allocation, which means its address at the rank of this setup.
 */
export type Address = Pointer | Allocation | null;

/** Formats a pointer as `signal of rank 1, byte 32`. */
export function pointerText({ allocation, rank, offset }: Pointer): string {
  return `${allocation.name} of ${rank === 'multicast' ? 'all ranks' : `rank ${rank}`}, byte ${offset}`;
}
