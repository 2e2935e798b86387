import type { Seen } from '@nccl-ts/memory-model';

const kindNumbers: Readonly<Record<Seen['kind'], number>> = { race: 0, uninitialised: 1, proxy: 2 };

/**
 * Combines a pair of source locations and a kind into one number. There are fewer than 2 ** 24
 * source locations.
 */
export function pairKey(kind: Seen['kind'], now: number, before: number): number {
  return (now * 2 ** 24 + before) * 4 + kindNumbers[kind];
}
