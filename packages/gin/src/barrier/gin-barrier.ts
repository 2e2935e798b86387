import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { barrierSession } from './gin-barrier-session.ts';
import type { GinModule } from '../gin-module.ts';

/** @see {@link GinModule.barrier} */
export const barrier: DeviceFn<GinModule['barrier']> = deviceFn(
  { name: 'gin.barrier', use: { barrierSession } },
  ({ barrierSession }, coop, net, tag, index, order, fence, options) => {
    const bar = barrierSession(coop, net, tag, index, options);
    bar.sync(coop, order === undefined ? 'acq_rel' : order, fence);
  },
);
