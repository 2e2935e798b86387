import { multimemHandle, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { anyPointer, anySymPtr, coop, integer, options } from './impl/forms.ts';
import { copyToAll } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const toAll = reduceCopyForm('multimemCopy', {
  from: pointer,
  to: pointer,
  apart: 'none',
  move: copyToAll,
});

const toPointer = deviceFn(
  { name: 'multimemCopy', use: { toAll } },
  ({ toAll, typeOf }, coop: CoopLike, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions) => {
    toAll(coop, typeOf(src), src, dst, count, options);
  },
);

const toSymPtr = deviceFn(
  { name: 'multimemCopy', use: { toAll } },
  (
    { toAll },
    coop: CoopLike,
    src: Ptr,
    dst: SymPtr,
    count: number,
    handle: MultimemHandle,
    options?: ReduceCopyOptions,
  ) => {
    toAll(coop, dst.T, src, dst.multimemPtr(handle), count, options);
  },
);

const toWindow = deviceFn(
  { name: 'multimemCopy', use: { toAll, multimem } },
  (
    { toAll, multimem, typeOf },
    coop: CoopLike,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    handle: MultimemHandle,
    options?: ReduceCopyOptions,
  ) => {
    const T = typeOf(src);
    toAll(coop, T, src, multimem.pointer(win, T, offset, handle), count, options);
  },
);

/** The forms of `multimemCopy`. */
export interface MultimemCopy {
  /** To the symmetric pointer at each rank of the handle. */
  (coop: CoopLike, src: Ptr, dst: SymPtr, count: number, handle: MultimemHandle, options?: ReduceCopyOptions): void;
  /** To all copies behind the multicast pointer `dst`. */
  (coop: CoopLike, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /** To byte `offset` of a window. The element type is that of `src`. */
  (
    coop: CoopLike,
    src: Ptr,
    win: Window,
    offset: number,
    count: number,
    handle: MultimemHandle,
    options?: ReduceCopyOptions,
  ): void;
}

/**
 * Copies `count` elements to the ranks of a multimem handle without changing a bit. The switch
 * writes to all of them. Regions of elements with less than 4 bytes must begin and end there at
 * multiples of 4 bytes.
 *
 * @see ncclMultimemCopy
 */
export const multimemCopy: DeviceFn<MultimemCopy> = forms({
  name: 'reduceCopy.multimemCopy',
  forms: [
    {
      params: { coop, src: anyPointer, dst: anySymPtr, count: integer, handle: multimemHandle, 'options?': options },
      fn: toSymPtr,
    },
    { params: { coop, src: anyPointer, dst: anyPointer, count: integer, 'options?': options }, fn: toPointer },
    {
      params: {
        coop,
        src: anyPointer,
        win: window,
        offset: addr,
        count: integer,
        handle: multimemHandle,
        'options?': options,
      },
      fn: toWindow,
    },
  ],
});
