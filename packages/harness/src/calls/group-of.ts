import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';

/** Returns the group of a call: a tile of `threads` threads, or the block if it is 0. */
export function groupOf(threads: number): DeviceFn<() => Coop> {
  return deviceFn({ name: 'group', use: { THREADS: threads } }, ({ coopTile, coopCta, THREADS }) =>
    THREADS === 0 ? coopCta() : coopTile(THREADS),
  );
}
