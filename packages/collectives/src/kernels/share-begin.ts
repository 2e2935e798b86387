import { deviceFn, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';

/**
 * The start of part `part` of `parts` of `count` elements. Parts consist of whole lines of 16
 * bytes, counted from the first element, as far as possible. `count` keeps its integer type.
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
