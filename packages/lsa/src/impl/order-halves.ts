import type { MemoryOrder } from '@nccl-ts/core';
import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/** What of an order the arriving side needs. */
export const releaseOrder: DeviceFn<(order: MemoryOrder) => MemoryOrder> = deviceFn(
  { name: 'releaseOrder' },
  (_context, order: MemoryOrder) => (order === 'acquire' ? 'relaxed' : order === 'acq_rel' ? 'release' : order),
);

/** What of an order the waiting side needs. */
export const acquireOrder: DeviceFn<(order: MemoryOrder) => MemoryOrder> = deviceFn(
  { name: 'acquireOrder' },
  (_context, order: MemoryOrder) => (order === 'release' ? 'relaxed' : order === 'acq_rel' ? 'acquire' : order),
);
