/** How an atomic access, a fence or a barrier orders other accesses of its thread. */
export type MemoryOrder = 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'seq_cst';

/** All orders. */
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

/** The release half of `order`, with which a barrier arrives. */
export function releaseOrderOf(order: MemoryOrder): MemoryOrder {
  return releaseHalf[order];
}

/** The acquire half of `order`, with which a barrier waits. */
export function acquireOrderOf(order: MemoryOrder): MemoryOrder {
  return acquireHalf[order];
}

/** True if `value` is the name of an order. */
export function isMemoryOrder(value: unknown): value is MemoryOrder {
  return typeof value === 'string' && Object.hasOwn(releaseHalf, value);
}
