import { multimemHandle, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, forms, intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { anyPointer, anySymPtr, coop, elements, integer, options, type } from './impl/forms.ts';
import { reduceThrough } from './impl/reduce-through.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const ofAll: DeviceFn<
  (coop: CoopLike, type: TypeFn, src: Ptr, dst: Ptr, count: number, options?: ReduceCopyOptions) => void
> = intrinsic(
  {
    name: 'reduceCopy.multimemReduceSum',
    use: { reduceThrough },
    params: { coop, type, src: elements, dst: elements, count: integer, 'options?': options },
  },
  ({ reduceThrough }, coop: CoopLike, T: TypeFn, src: Ptr, dst: Ptr, count: number, _options?: ReduceCopyOptions) => {
    const from = (_i: number): Ptr => src;
    const to = (_i: number): Ptr => dst;
    const of = { src: from, nSrc: 1, dst: to, nDst: 1 };
    reduceThrough(coop, T, of, { fromAll: true, toAll: false }, count, true);
  },
);

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
  /** From byte `offset` of a window; the elements have the element type of `dst`. */
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
 * Sums `count` elements over the ranks of a multimem handle into the rank's own memory: the switch
 * adds. Integers of 8 and 16 bits are refused when the kernel is compiled. Elements of less than 4
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
