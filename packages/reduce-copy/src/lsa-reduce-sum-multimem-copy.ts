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

const ofTeam = reduceCopyForm('lsaReduceSumMultimemCopy', {
  from: teamWindow,
  to: pointer,
  apart: 'none',
  move: reduceByMulticast({ fromAll: false, toAll: true, symmetric: true }),
});

const ofPlaces = sumEach('sumPlacesToAll', reduceByMulticast({ fromAll: false, toAll: true, symmetric: false }));

const name = 'lsaReduceSumMultimemCopy';
const use = { ofTeam, sameElements };
const from = { coop: coopParam, src: anySymPtr, team };
const last = { count: anyIntegerParam, 'options?': options };

/** The forms of `lsaReduceSumMultimemCopy`. */
export interface LsaReduceSumMultimemCopy {
  /** From the members of a team to the ranks that the handle names. */
  (
    coop: CoopLike,
    src: SymPtr,
    team: Team,
    dst: SymPtr,
    handle: MultimemHandle,
    count: number,
    options?: ReduceCopyOptions,
  ): void;
  /** From the members of a team to all copies that the multicast pointer `dst` reaches. */
  (coop: CoopLike, src: SymPtr, team: Team, dst: Ptr, count: number, options?: ReduceCopyOptions): void;
  /**
   * From `nSrc` sources to `nDst` multicast destinations: `src(i)` and `dst(i)` return the
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

/** Implements {@link ReduceCopy.lsaReduceSumMultimemCopy}. */
export const lsaReduceSumMultimemCopy: DeviceFn<LsaReduceSumMultimemCopy> = forms({
  name: 'reduceCopy.lsaReduceSumMultimemCopy',
  forms: [
    form(
      { name, use, params: { ...from, dst: anySymPtr, handle: multimemHandle, ...last } },
      ({ ofTeam, sameElements }, { coop, src, team, dst, handle, count, options }) => {
        const T = sameElements(src, dst);
        ofTeam(coop, T, { win: src.window, offset: src.offset, team }, dst.multimemPtr(handle), count, options);
      },
    ),
    form(
      { name, use, params: { ...from, dst: anyPointerParam, ...last } },
      ({ ofTeam }, { coop, src, team, dst, count, options }) => {
        ofTeam(coop, src.T, { win: src.window, offset: src.offset, team }, dst, count, options);
      },
    ),
    { params: sumEachParams, fn: ofPlaces },
  ],
});
