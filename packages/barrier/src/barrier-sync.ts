import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { session } from './barrier-session.ts';
import type { Barrier } from './barrier-module.ts';

/** @see {@link Barrier.sync} */
export const sync: DeviceFn<Barrier['sync']> = deviceFn(
  { name: 'barrier.sync', use: { session } },
  ({ session }, coop, net, tag, index, order, fence, options) => {
    const bar = session(coop, net, tag, index, options);
    bar.sync(coop, order === undefined ? 'acq_rel' : order, fence);
  },
);
