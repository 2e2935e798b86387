import { multimemHandle, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { anyPointer, anySymPtr, coop, integer, options, type } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { pointer } from './impl/region.ts';
import { sameElements } from './impl/same-elements.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const ofAllToAll = reduceCopyForm('multimemReduceSumCopy', {
  from: pointer,
  to: pointer,
  apart: 'own',
  move: reduceByMulticast({ fromAll: true, toAll: true, symmetric: true }),
});

const ofPointers = deviceFn(
  { name: 'multimemReduceSumCopy', use: { ofAllToAll } },
  ({ ofAllToAll, typeOf }, coop: CoopLike, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions) => {
    ofAllToAll(coop, typeOf(src), src, dst, count, options);
  },
);

const ofSymPtrs = deviceFn(
  { name: 'multimemReduceSumCopy', use: { ofAllToAll, sameElements } },
  (
    { ofAllToAll, sameElements },
    coop: CoopLike,
    src: SymPtr,
    srcHandle: MultimemHandle,
    dst: SymPtr,
    dstHandle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    const T = sameElements(src, dst);
    ofAllToAll(coop, T, src.multimemPtr(srcHandle), dst.multimemPtr(dstHandle), count, options);
  },
);

const ofWindows = deviceFn(
  { name: 'multimemReduceSumCopy', use: { ofAllToAll, multimem } },
  (
    { ofAllToAll, multimem },
    coop: CoopLike,
    T: TypeFn,
    srcWin: Window,
    srcOffset: number,
    srcHandle: MultimemHandle,
    dstWin: Window,
    dstOffset: number,
    dstHandle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    const src = multimem.pointer(srcWin, T, srcOffset, srcHandle);
    const dst = multimem.pointer(dstWin, T, dstOffset, dstHandle);
    ofAllToAll(coop, T, src, dst, count, options);
  },
);

/** The forms of `multimemReduceSumCopy`. */
export interface MultimemReduceSumCopy {
  /** From the ranks of one handle to those of the other. */
  (
    coop: CoopLike,
    src: SymPtr,
    srcHandle: MultimemHandle,
    dst: SymPtr,
    dstHandle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
  /** From all copies behind the multicast pointer `src` to all copies behind `dst`. */
  (coop: CoopLike, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /**
   * From byte `srcOffset` of a window to byte `dstOffset` of the same or another window, with
   * elements of type T.
   */
  (
    coop: CoopLike,
    type: TypeFn,
    srcWin: Window,
    srcOffset: number,
    srcHandle: MultimemHandle,
    dstWin: Window,
    dstOffset: number,
    dstHandle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
}

/**
 * Sums `count` elements over the ranks of a multimem handle, and stores the sums to all ranks of
 * the same or another handle. The switch does both. Types and sizes are those of
 * `multimemReduceSum`.
 *
 * @see ncclMultimemReduceSumCopy
 */
export const multimemReduceSumCopy: DeviceFn<MultimemReduceSumCopy> = forms({
  name: 'reduceCopy.multimemReduceSumCopy',
  forms: [
    {
      params: {
        coop,
        src: anySymPtr,
        srcHandle: multimemHandle,
        dst: anySymPtr,
        dstHandle: multimemHandle,
        count: integer,
        'options?': options,
      },
      fn: ofSymPtrs,
    },
    { params: { coop, src: anyPointer, dst: anyPointer, count: integer, 'options?': options }, fn: ofPointers },
    {
      params: {
        coop,
        type,
        srcWin: window,
        srcOffset: addr,
        srcHandle: multimemHandle,
        dstWin: window,
        dstOffset: addr,
        dstHandle: multimemHandle,
        count: integer,
        'options?': options,
      },
      fn: ofWindows,
    },
  ],
});
