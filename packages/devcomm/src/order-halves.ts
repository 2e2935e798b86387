import type { MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * Returns the part of an order for the arriving side of a synchronization.
 *
 * @see nccl::utility::releaseOrderOf
 */
export const releaseOrder: DeviceFn<(order: MemoryOrder) => MemoryOrder> = deviceFn(
  { name: 'releaseOrder' },
  (_context, order) => (order === 'acquire' ? 'relaxed' : order === 'acq_rel' ? 'release' : order),
);

/** Returns the part of an order for the waiting side. @see nccl::utility::acquireOrderOf */
export const acquireOrder: DeviceFn<(order: MemoryOrder) => MemoryOrder> = deviceFn(
  { name: 'acquireOrder' },
  (_context, order) => (order === 'release' ? 'relaxed' : order === 'acq_rel' ? 'acquire' : order),
);
