import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { AccessBytes, Location, Ordering } from './program.ts';
import type { Random } from './random.ts';

/** A thread of the program. */
export interface ThreadCoordinates {
  readonly rank: number;
  readonly cta: number;
  readonly thread: number;
}

/** The rules that a program under construction follows. */
export interface Draft {
  readonly random: Random;
  readonly ranks: number;
  readonly lsaSize: number;
  readonly words: number;
  /** The sizes of accesses. A size that is listed twice is twice as likely. */
  readonly sizes: readonly [AccessBytes, ...AccessBytes[]];
  /** The probability that an access has an order. */
  readonly ordered: number;
  /** The probability that a choice orders accesses that need an order. */
  readonly care: number;
}

export const loadOrders: readonly [MemoryOrder, ...MemoryOrder[]] = ['relaxed', 'acquire', 'acquire', 'seq_cst'];
export const storeOrders: readonly [MemoryOrder, ...MemoryOrder[]] = ['relaxed', 'release', 'release', 'seq_cst'];
const atomicOrders: readonly [MemoryOrder, ...MemoryOrder[]] = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'];
const fenceOrders: readonly [MemoryOrder, ...MemoryOrder[]] = ['acquire', 'release', 'acq_rel', 'seq_cst', 'seq_cst'];
const scopes: readonly [MemoryScope, ...MemoryScope[]] = ['thread', 'block', 'device', 'device', 'system', 'system'];

export function scopeOf({ random, care }: Draft): MemoryScope {
  return random.chance(care) ? 'system' : random.pick(scopes);
}

export function loadOrdering(draft: Draft): Ordering {
  return { order: draft.random.pick(loadOrders), scope: scopeOf(draft) };
}

export function storeOrdering(draft: Draft): Ordering {
  return { order: draft.random.pick(storeOrders), scope: scopeOf(draft) };
}

export function atomicOrdering(draft: Draft): Ordering {
  return { order: draft.random.pick(atomicOrders), scope: scopeOf(draft) };
}

export function fenceOrdering(draft: Draft): Ordering {
  return { order: draft.random.pick(fenceOrders), scope: scopeOf(draft) };
}

/** A location that others can reach too, mostly in the copy that all use. */
export function locationOf({ random, lsaSize, words, sizes }: Draft, word = random.below(words)): Location {
  const bytes = random.pick(sizes);
  if (lsaSize === 1) return { home: 'own', word, bytes };
  return { home: random.chance(0.8) ? 0 : random.below(lsaSize), word, bytes };
}

/** The same with a size that every machine accesses atomically. */
export function wordOf(draft: Draft, word?: number): Location {
  return { ...locationOf(draft, word), bytes: draft.sizes.includes(4) ? 4 : draft.sizes[0] };
}
