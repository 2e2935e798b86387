import type { MemoryOrder } from '@nccl-ts/core';

/** Which orders release what was before. */
export const releasing: Readonly<Record<MemoryOrder, boolean>> = Object.freeze({
  relaxed: false,
  acquire: false,
  release: true,
  acq_rel: true,
  seq_cst: true,
});

/** Which orders let what follows see what was released. */
export const acquiring: Readonly<Record<MemoryOrder, boolean>> = Object.freeze({
  relaxed: false,
  acquire: true,
  release: false,
  acq_rel: true,
  seq_cst: true,
});
