import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';

/**
 * Returns the start of part `part` when `count` elements are divided into `parts` parts. As far as
 * possible, a part consists of whole 16-byte lines, counted from the first element. `count` keeps
 * its integer type.
 */
export const shareBegin: DeviceFn<(type: TypeFn, count: number, part: number, parts: number) => number> = deviceFn(
  { name: 'shareBegin' },
  ({ sizeOf, min }, T: TypeFn, count: number, part: number, parts: number) => {
    const width = 16 / sizeOf(T);
    const lines = (count + (width - 1)) / width;
    const each = (lines + parts - 1) / parts;
    return min(each * part * width, count);
  },
);
