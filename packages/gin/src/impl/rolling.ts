import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';

/**
 * True if `value` is `least` or past it, by the low `bits` (1 to 64) of both, which wrap around.
 */
export const hasReached: DeviceFn<(value: number, least: number, bits: number) => boolean> = deviceFn(
  { name: 'hasReached' },
  ({ u64 }, value, least, bits) => {
    const mask = ~u64(0) >> (u64(64) - u64(bits));
    return ((value - least) & mask) <= mask >> u64(1);
  },
);
