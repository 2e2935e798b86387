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

const name = 'multimemCopy';
const use = { toAll, multimem };
const from = { coop: coopParam, src: anyPointerParam };
const last = { count: anyIntegerParam, handle: multimemHandle, 'options?': options };

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

/** @see {@link ReduceCopy.multimemCopy} */
export const multimemCopy: DeviceFn<MultimemCopy> = forms({
  name: 'reduceCopy.multimemCopy',
  forms: [
    form(
      { name, use, params: { ...from, dst: anySymPtr, ...last } },
      ({ toAll }, { coop, src, dst, count, handle, options }) => {
        toAll(coop, dst.T, src, dst.multimemPtr(handle), count, options);
      },
    ),
    form(
      { name, use, params: { ...from, dst: anyPointerParam, count: anyIntegerParam, 'options?': options } },
      ({ toAll, typeOf }, { coop, src, dst, count, options }) => {
        toAll(coop, typeOf(src), src, dst, count, options);
      },
    ),
    form(
      { name, use, params: { ...from, win: window, offset: addr, ...last } },
      ({ toAll, multimem, typeOf }, { coop, src, win, offset, count, handle, options }) => {
        const T = typeOf(src);
        toAll(coop, T, src, multimem.pointer(win, T, offset, handle), count, options);
      },
    ),
  ],
});
