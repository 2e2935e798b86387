import { deviceFn, multicastSize, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/** Requires that the pointer is a multicast address of a team that contains the calling rank. */
export const needsMulticast: DeviceFn<(p: Ptr) => void> = deviceFn(
  { name: 'needsMulticast', use: { multicastSize } },
  ({ multicastSize, requires }, p) => {
    requires(
      multicastSize(p) > 0,
      'multimem.* got a null or an ordinary pointer: pass a multicast pointer of a team with this rank, which takes createDevComm({ lsaMultimem: true }) or the mmHandle of a team',
    );
  },
);
