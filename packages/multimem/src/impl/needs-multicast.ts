import { deviceFn, multicastSize, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/** Ends the launch where `p` is no multicast address. GPUs do not look. */
export const needsMulticast: DeviceFn<(p: Ptr) => void> = deviceFn(
  { name: 'needsMulticast', use: { multicastSize } },
  ({ multicastSize, assert }, p: Ptr) => {
    assert(
      multicastSize(p) > 0,
      'multimem.* needs a multicast pointer: this one is null (lsaMultimem was not asked for?) or an ordinary one',
    );
  },
);
