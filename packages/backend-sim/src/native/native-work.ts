import type { ScalarKind } from '@nccl-ts/core';
import type { CollectiveWork } from '@nccl-ts/transport';

/** The reduction of the values of several ranks to one. */
export type NativeReduction = NonNullable<CollectiveWork['reduction']>;

/**
 * `bytes` bytes of each source, reduced element by element, from the first source to the last, at
 * every destination.
 */
export interface ReducePart {
  readonly kind: 'reduce';
  readonly element: ScalarKind;
  readonly reduction: NativeReduction;
  /** Addresses. A destination may be a source; otherwise nothing overlaps. */
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
  /** A multiple of the element's. */
  readonly bytes: number;
}

/** `bytes` bytes of the source, as they are, at every destination. */
export interface CopyPart {
  readonly kind: 'copy';
  readonly source: number;
  /** Addresses; none overlaps the source, but for one that is the source. */
  readonly destinations: readonly number[];
  readonly bytes: number;
}

/** Work that threads can share in any order. */
export type NativePart = ReducePart | CopyPart;

/** Independent parts. */
export type NativeWork = readonly NativePart[];

/** Bytes that are read and written. */
export function touchedBytes(work: NativeWork): number {
  return work.reduce((sum, part) => {
    const sources = part.kind === 'reduce' ? part.sources.length : 1;
    return sum + (sources + part.destinations.length) * part.bytes;
  }, 0);
}
