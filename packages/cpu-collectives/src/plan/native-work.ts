import type { ScalarKind } from '@nccl-ts/core';
import type { CollectiveWork } from '@nccl-ts/transport';

/** The reduction of the values of several ranks to one value. */
export type NativeReduction = NonNullable<CollectiveWork['reduction']>;

/**
 * Reduces `bytes` bytes of each source element by element, from the first source to the last, to
 * every destination.
 */
export interface ReducePart {
  readonly kind: 'reduce';
  readonly element: ScalarKind;
  readonly reduction: NativeReduction;
  /** Addresses. A destination may be a source; apart from that, the ranges must not overlap. */
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
  /** A multiple of the element size. */
  readonly bytes: number;
}

/** Copies `bytes` bytes of the source to every destination. */
export interface CopyPart {
  readonly kind: 'copy';
  readonly source: number;
  /** Addresses. A destination must not overlap the source unless it is the source. */
  readonly destinations: readonly number[];
  readonly bytes: number;
}

/** Work that threads can share in any order. */
export type NativePart = ReducePart | CopyPart;

/** Independent parts. */
export type NativeWork = readonly NativePart[];

/** Returns the number of bytes that are read and written. */
export function touchedBytes(work: NativeWork): number {
  return work.reduce((sum, part) => {
    const sources = part.kind === 'reduce' ? part.sources.length : 1;
    return sum + (sources + part.destinations.length) * part.bytes;
  }, 0);
}
