import { deviceFn, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';

/** Requires that a session is used by the group that opened it, as the types of NCCL do. */
export const expectGroup: DeviceFn<(opened: CoopLike, coop: CoopLike) => void> = deviceFn(
  { name: 'expectGroup' },
  ({ requires }, opened, coop) => {
    requires(
      coop.size() === opened.size() && coop.threadRank() === opened.threadRank(),
      'a session that a group of {} threads opened is used by one of {}: pass the group that opened it',
      opened.size(),
      coop.size(),
    );
  },
);
