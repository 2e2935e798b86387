import { multimemHandle, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  anyIntegerParam,
  anyPointerParam,
  coopParam,
  form,
  forms,
  typeParam,
  type CoopLike,
  type DeviceFn,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { anySymPtr, options } from './impl/forms.ts';
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

const name = 'multimemReduceSumCopy';
const use = { ofAllToAll, sameElements, multimem };
const last = { count: anyIntegerParam, 'options?': options };

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

/** @see {@link ReduceCopy.multimemReduceSumCopy} */
export const multimemReduceSumCopy: DeviceFn<MultimemReduceSumCopy> = forms({
  name: 'reduceCopy.multimemReduceSumCopy',
  forms: [
    form(
      {
        name,
        use,
        params: {
          coop: coopParam,
          src: anySymPtr,
          srcHandle: multimemHandle,
          dst: anySymPtr,
          dstHandle: multimemHandle,
          ...last,
        },
      },
      ({ ofAllToAll, sameElements }, { coop, src, srcHandle, dst, dstHandle, count, options }) => {
        const T = sameElements(src, dst);
        ofAllToAll(coop, T, src.multimemPtr(srcHandle), dst.multimemPtr(dstHandle), count, options);
      },
    ),
    form(
      { name, use, params: { coop: coopParam, src: anyPointerParam, dst: anyPointerParam, ...last } },
      ({ ofAllToAll, typeOf }, { coop, src, dst, count, options }) => {
        ofAllToAll(coop, typeOf(src), src, dst, count, options);
      },
    ),
    form(
      {
        name,
        use,
        params: {
          coop: coopParam,
          type: typeParam,
          srcWin: window,
          srcOffset: addr,
          srcHandle: multimemHandle,
          dstWin: window,
          dstOffset: addr,
          dstHandle: multimemHandle,
          ...last,
        },
      },
      ({ ofAllToAll, multimem }, call) => {
        const src = multimem.pointer(call.srcWin, call.type, call.srcOffset, call.srcHandle);
        const dst = multimem.pointer(call.dstWin, call.type, call.dstOffset, call.dstHandle);
        ofAllToAll(call.coop, call.type, src, dst, call.count, call.options);
      },
    ),
  ],
});
