import { multimemHandle, window, type MultimemHandle, type SymPtr, type Window } from '@nccl-ts/devcomm';
import {
  addr,
  anyIntegerParam,
  anyPointerParam,
  coopParam,
  form,
  forms,
  type CoopLike,
  type DeviceFn,
  type Ptr,
} from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { anySymPtr, options } from './impl/forms.ts';
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

const name = 'multimemReduceSum';
const use = { ofAll, multimem };
const to = { dst: anyPointerParam, count: anyIntegerParam };
const last = { handle: multimemHandle, 'options?': options };

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

/** @see {@link ReduceCopy.multimemReduceSum} */
export const multimemReduceSum: DeviceFn<MultimemReduceSum> = forms({
  name: 'reduceCopy.multimemReduceSum',
  forms: [
    form(
      { name, use, params: { coop: coopParam, src: anySymPtr, ...to, ...last } },
      ({ ofAll }, { coop, src, dst, count, handle, options }) => {
        ofAll(coop, src.T, src.multimemPtr(handle), dst, count, options);
      },
    ),
    form(
      { name, use, params: { coop: coopParam, src: anyPointerParam, ...to, 'options?': options } },
      ({ ofAll, typeOf }, { coop, src, dst, count, options }) => {
        ofAll(coop, typeOf(dst), src, dst, count, options);
      },
    ),
    form(
      { name, use, params: { coop: coopParam, win: window, offset: addr, ...to, ...last } },
      ({ ofAll, multimem, typeOf }, { coop, win, offset, dst, count, handle, options }) => {
        const T = typeOf(dst);
        ofAll(coop, T, multimem.pointer(win, T, offset, handle), dst, count, options);
      },
    ),
  ],
});
