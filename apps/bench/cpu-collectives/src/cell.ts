import type { CollectiveName } from '@nccl-ts/core';

/** The collectives that are measured. */
export type MeasuredCollective = Extract<CollectiveName, 'allReduce' | 'allGather' | 'allToAll' | 'reduceScatter'>;

/**
 * The measured operation. `copy` and `add` are reference measurements of memory. Their `bytes` are
 * those of one array.
 */
export type What =
  | MeasuredCollective
  | 'barrier'
  | 'barrierOfRanks'
  | 'launchParked'
  | 'launchHot'
  | 'launchOverhead'
  | 'wake'
  | 'copy'
  | 'add';

export type DataPlacement = 'in' | 'out';

/**
 * A cell to measure. `bytes` is the size of the whole buffer, as in nccl-tests, or 0 if there is
 * none.
 */
export interface BenchCell {
  readonly what: What;
  readonly ranks: number;
  readonly bytes: number;
  readonly place: DataPlacement;
}

/** Its name in the native programs. */
export const nativeNames: Readonly<Record<What, string>> = Object.freeze({
  allReduce: 'allreduce',
  allGather: 'allgather',
  allToAll: 'alltoall',
  reduceScatter: 'reduce_scatter',
  barrier: 'barrier',
  barrierOfRanks: 'barrier',
  launchParked: 'wake',
  launchHot: 'barrier',
  launchOverhead: 'barrier',
  wake: 'wake',
  copy: 'copy',
  add: 'add',
});

/** A key that is equal for equal cells. */
export function cellKey({ what, ranks, bytes, place }: BenchCell): string {
  return `${what}/${ranks}/${bytes}/${place}`;
}

/** The argument of a native program. */
export function caseArgument({ what, ranks, bytes, place }: BenchCell, form = ''): string {
  return `${nativeNames[what]}:${ranks}:${bytes}:${place}${form === '' ? '' : `:${form}`}`;
}

export function bytesText(bytes: number): string {
  for (const [unit, size] of [
    ['MiB', 1 << 20],
    ['KiB', 1 << 10],
  ] as const)
    if (bytes >= size) return `${bytes / size} ${unit}`;
  return `${bytes} B`;
}

export function cellText({ what, ranks, bytes, place }: BenchCell): string {
  return bytes === 0 ? `${what} N=${ranks}` : `${what} N=${ranks} ${bytesText(bytes)} ${place}`;
}
