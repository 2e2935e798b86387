import { multimemHandle, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { anyPointer, anySymPtr, coop, integer, options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer } from './impl/region.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const ofAll = reduceCopyForm('multimemReduceSum', {
  from: pointer,
  to: pointer,
  apart: 'none',
  move: reduceByMulticast({ fromAll: true, toAll: false, symmetric: true }),
});

const ofPointer = deviceFn(
  { name: 'multimemReduceSum', use: { ofAll } },
  ({ ofAll, typeOf }, coop: CoopLike, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions) => {
    ofAll(coop, typeOf(dst), src, dst, count, options);
  },
);

const ofSymPtr = deviceFn(
  { name: 'multimemReduceSum', use: { ofAll } },
  (
    { ofAll },
    coop: CoopLike,
    src: SymPtr,
    dst: Ptr,
    count: number,
    handle: MultimemHandle,
    options?: ReduceCopyOptions,
  ) => {
    ofAll(coop, src.T, src.multimemPtr(handle), dst, count, options);
  },
);

const ofWindow = deviceFn(
  { name: 'multimemReduceSum', use: { ofAll, multimem } },
  (
    { ofAll, multimem, typeOf },
    coop: CoopLike,
    win: Window,
    offset: number,
    dst: Ptr,
    count: number,
    handle: MultimemHandle,
    options?: ReduceCopyOptions,
  ) => {
    const T = typeOf(dst);
    ofAll(coop, T, multimem.pointer(win, T, offset, handle), dst, count, options);
  },
);

/** The forms of `multimemReduceSum`. */
export interface MultimemReduceSum {
  /** From the symmetric pointer at each rank of the handle. */
  (coop: CoopLike, src: SymPtr, dst: Ptr, count: number, handle: MultimemHandle, options?: ReduceCopyOptions): void;
  /** From all copies behind the multicast pointer `src`. */
  (coop: CoopLike, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /** From byte `offset` of a window. The element type is that of `dst`. */
  (
    coop: CoopLike,
    win: Window,
    offset: number,
    dst: Ptr,
    count: number,
    handle: MultimemHandle,
    options?: ReduceCopyOptions,
  ): void;
}

/**
 * Sums `count` elements over the ranks of a multimem handle into the rank's own memory. The switch
 * adds. Kernels with integers of 8 or 16 bits do not compile. Regions of elements with less than 4
 * bytes must begin and end at multiples of 4 bytes.
 *
 * @see ncclMultimemReduceSum
 */
export const multimemReduceSum: DeviceFn<MultimemReduceSum> = forms({
  name: 'reduceCopy.multimemReduceSum',
  forms: [
    {
      params: {
        coop,
        src: anySymPtr,
        dst: anyPointer,
        count: integer,
        handle: multimemHandle,
        'options?': options,
      },
      fn: ofSymPtr,
    },
    { params: { coop, src: anyPointer, dst: anyPointer, count: integer, 'options?': options }, fn: ofPointer },
    {
      params: {
        coop,
        win: window,
        offset: addr,
        dst: anyPointer,
        count: integer,
        handle: multimemHandle,
        'options?': options,
      },
      fn: ofWindow,
    },
  ],
});
