import type { MemoryOrder } from '@nccl-ts/core';

/** The orders that release earlier events. */
export const releasing: Readonly<Record<MemoryOrder, boolean>> = Object.freeze({
  relaxed: false,
  acquire: false,
  release: true,
  acq_rel: true,
  seq_cst: true,
});

/** The orders that acquire released events. */
export const acquiring: Readonly<Record<MemoryOrder, boolean>> = Object.freeze({
  relaxed: false,
  acquire: true,
  release: false,
  acq_rel: true,
  seq_cst: true,
});
