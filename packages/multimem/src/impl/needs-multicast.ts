import { deviceFn, multicastSize, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/** The caller owes a multicast address, of a team that it is in. */
export const needsMulticast: DeviceFn<(p: Ptr) => void> = deviceFn(
  { name: 'needsMulticast', use: { multicastSize } },
  ({ multicastSize, requires }, p: Ptr) => {
    requires(
      multicastSize(p) > 0,
      'multimem.* is given a null or an ordinary pointer: pass a multicast pointer of a team with this rank, which takes createDevComm({ lsaMultimem: true }) or the mmHandle of a team',
    );
  },
);
