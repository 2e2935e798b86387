import type { MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * What of an order the arriving side of a synchronisation needs. @see nccl::utility::releaseOrderOf
 */
export const releaseOrder: DeviceFn<(order: MemoryOrder) => MemoryOrder> = deviceFn(
  { name: 'releaseOrder' },
  (_context, order: MemoryOrder) => (order === 'acquire' ? 'relaxed' : order === 'acq_rel' ? 'release' : order),
);

/** What of an order its waiting side needs. @see nccl::utility::acquireOrderOf */
export const acquireOrder: DeviceFn<(order: MemoryOrder) => MemoryOrder> = deviceFn(
  { name: 'acquireOrder' },
  (_context, order: MemoryOrder) => (order === 'release' ? 'relaxed' : order === 'acq_rel' ? 'acquire' : order),
);
