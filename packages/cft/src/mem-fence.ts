import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { Cft } from './cft-module.ts';

/** @see {@link Cft.memFence} */
export const memFence: DeviceFn<Cft['memFence']> = deviceFn(
  { name: 'cft.memFence' },
  ({ fenceProxy }, coop, order, producer, consumer, scope) => {
    if (order === 'release' || order === 'acq_rel' || order === 'seq_cst') coop.sync();
    if (coop.threadRank() === 0) fenceProxy('fabric', producer, consumer, order, scope);
    if (order === 'acquire' || order === 'acq_rel' || order === 'seq_cst') coop.sync();
  },
);
