import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * The thread waits until `isHere`, or until the clock is `timeoutCycles` past `start`. True if it
 * was here in time, as the wait itself has seen: another look might see more.
 */
export const waitInTime: DeviceFn<(isHere: () => boolean, start: number, timeoutCycles: number) => boolean> = deviceFn(
  { name: 'waitInTime' },
  ({ clock, localArray, waitUntil, u32 }, isHere: () => boolean, start: number, timeoutCycles: number) => {
    const late = localArray(u32, 1);
    waitUntil(() => {
      const here = isHere();
      late[0] = here ? 0 : 1;
      return here || clock() - start >= timeoutCycles;
    });
    return late[0] === 0;
  },
);
