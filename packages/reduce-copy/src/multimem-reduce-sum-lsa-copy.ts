import { multimemHandle, team, type MultimemHandle, type SymPtr } from '@nccl-ts/devcomm';
import {
  anyIntegerParam,
  anyPointerParam,
  coopParam,
  form,
  forms,
  type CoopLike,
  type DeviceFn,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { anySymPtr, options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { sumEach, sumEachParams } from './impl/reduce-each.ts';
import { pointer, teamWindow } from './impl/region.ts';
import { sameElements } from './impl/same-elements.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

const toTeam = reduceCopyForm('multimemReduceSumLsaCopy', {
  from: pointer,
  to: teamWindow,
  apart: 'none',
  move: reduceByMulticast({ fromAll: true, toAll: false, symmetric: true }),
});

const toPlaces = sumEach('sumOfAllToPlaces', reduceByMulticast({ fromAll: true, toAll: false, symmetric: false }));

const name = 'multimemReduceSumLsaCopy';
const use = { toTeam, sameElements };
const to = { dst: anySymPtr, team, count: anyIntegerParam, 'options?': options };

/** The forms of `multimemReduceSumLsaCopy`. */
export interface MultimemReduceSumLsaCopy {
  /** From the ranks that the handle names to the members of a team. */
  (
    coop: CoopLike,
    src: SymPtr,
    handle: MultimemHandle,
    dst: SymPtr,
    team: Team,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
  /** From all copies behind the multicast pointer `src` to the members of a team. */
  (coop: CoopLike, src: Ptr, dst: SymPtr, team: Team, count: number, options?: ReduceCopyOptions): void;
  /**
   * From `nSrc` multicast sources to `nDst` destinations: `src(i)` and `dst(i)` return the
   * pointers.
   */
  (
    coop: CoopLike,
    type: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
}

/** Implements {@link ReduceCopy.multimemReduceSumLsaCopy}. */
export const multimemReduceSumLsaCopy: DeviceFn<MultimemReduceSumLsaCopy> = forms({
  name: 'reduceCopy.multimemReduceSumLsaCopy',
  forms: [
    form(
      { name, use, params: { coop: coopParam, src: anySymPtr, handle: multimemHandle, ...to } },
      ({ toTeam, sameElements }, { coop, src, handle, dst, team, count, options }) => {
        const T = sameElements(src, dst);
        toTeam(coop, T, src.multimemPtr(handle), { win: dst.window, offset: dst.offset, team }, count, options);
      },
    ),
    form(
      { name, use, params: { coop: coopParam, src: anyPointerParam, ...to } },
      ({ toTeam }, { coop, src, dst, team, count, options }) => {
        toTeam(coop, dst.T, src, { win: dst.window, offset: dst.offset, team }, count, options);
      },
    ),
    { params: sumEachParams, fn: toPlaces },
  ],
});
