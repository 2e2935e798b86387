import { deviceFn, multicastSize, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/** The caller owes a multicast address, of a team that it is in. */
export const needsMulticast: DeviceFn<(p: Ptr) => void> = deviceFn(
  { name: 'needsMulticast', use: { multicastSize } },
  ({ multicastSize, requires }, p: Ptr) => {
    requires(
      multicastSize(p) > 0,
      'multimem.* takes a multicast pointer of a team that the rank is in; this one is null, as without lsaMultimem, or an ordinary one',
    );
  },
);
