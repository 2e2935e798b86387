import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * Waits until `isHere` is true, or until the clock is `timeoutCycles` past `start`. Returns true if
 * it was true in time, as the wait itself saw, because a later check might see more.
 */
export const waitInTime: DeviceFn<(isHere: () => boolean, start: number, timeoutCycles: number) => boolean> = deviceFn(
  { name: 'waitInTime' },
  ({ clock, localArray, waitUntil, u32 }, isHere, start, timeoutCycles) => {
    const late = localArray(u32, 1);
    waitUntil(() => {
      const here = isHere();
      late[0] = here ? 0 : 1;
      return here || clock() - start >= timeoutCycles;
    });
    return late[0] === 0;
  },
);
