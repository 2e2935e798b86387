/** The way in which an atomic access, a fence or a barrier orders other accesses of its thread. */
export type MemoryOrder = 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';

/** Every order. */
export const memoryOrders: readonly MemoryOrder[] = Object.freeze([
  'relaxed',
  'acquire',
  'release',
  'acq_rel',
  'seq_cst',
]);

const releaseHalf: Readonly<Record<MemoryOrder, MemoryOrder>> = Object.freeze({
  relaxed: 'relaxed',
  acquire: 'relaxed',
  release: 'release',
  acq_rel: 'release',
  seq_cst: 'seq_cst',
});

const acquireHalf: Readonly<Record<MemoryOrder, MemoryOrder>> = Object.freeze({
  relaxed: 'relaxed',
  acquire: 'acquire',
  release: 'relaxed',
  acq_rel: 'acquire',
  seq_cst: 'seq_cst',
});

/** The order of the arriving half of a barrier: the release part of `order`. */
export function releaseOrderOf(order: MemoryOrder): MemoryOrder {
  return releaseHalf[order];
}

/** The order of the waiting half of a barrier: the acquire part of `order`. */
export function acquireOrderOf(order: MemoryOrder): MemoryOrder {
  return acquireHalf[order];
}

/** True if `value` names an order. */
export function isMemoryOrder(value: unknown): value is MemoryOrder {
  return typeof value === 'string' && Object.hasOwn(releaseHalf, value);
}
