import {
  anyIntegerParam,
  coopParam,
  deviceFn,
  intrinsic,
  typeParam,
  type CoopLike,
  type DeviceFn,
  type DeviceParams,
  type FunctionParam,
  type OptionsParam,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';
import { options, pointerFunction } from './forms.ts';
import type { PointerAt } from './in-packs.ts';
import type { Operator } from './join-sources.ts';
import type { Move } from './move.ts';
import { requiresSound } from './reduce-copy-form.ts';
import { regionOf } from './region.ts';

/**
 * Stores the sums of `nSrc` sources to all of `nDst` destinations. `src(i)` and `dst(i)` return
 * pointers to elements of the type.
 */
export type SumEach = (
  coop: CoopLike,
  type: TypeFn,
  src: (i: number) => Ptr,
  nSrc: number,
  dst: (i: number) => Ptr,
  nDst: number,
  count: number,
  options?: ReduceCopyOptions,
) => void;

/** Like {@link SumEach}, with the operator `op`. */
export type ReduceEach<Options> = (
  coop: CoopLike,
  type: TypeFn,
  src: (i: number) => Ptr,
  nSrc: number,
  dst: (i: number) => Ptr,
  nDst: number,
  op: (a: number, b: number) => number,
  count: number,
  options?: Options,
) => void;

const both = {
  coop: coopParam,
  type: typeParam,
  src: pointerFunction,
  nSrc: anyIntegerParam,
  dst: pointerFunction,
  nDst: anyIntegerParam,
};
const sum = { ...both, count: anyIntegerParam, 'options?': options };
const operator: FunctionParam<Operator> = { kind: 'function' };

/** The parameters of a {@link SumEach}. */
export const sumEachParams: DeviceParams = sum;

/** The arguments of both forms. */
interface Places<Options> {
  readonly coop: CoopLike;
  readonly type: TypeFn;
  readonly src: PointerAt;
  readonly nSrc: number;
  readonly dst: PointerAt;
  readonly nDst: number;
  readonly count: number;
  readonly options: Partial<Options>;
}

/** The work of both forms: a sum, or a reduction by `op`. */
function moveEach<Options>(move: Move<Options>): DeviceFn<(call: Places<Options>, op?: Operator) => void> {
  return deviceFn(
    { name: 'moveEach', use: { requiresSound, regionOf, move } },
    ({ requiresSound, regionOf, move }, call, op) => {
      const { coop, type: T, count } = call;
      const src = regionOf(T, call.src, call.nSrc);
      const dst = regionOf(T, call.dst, call.nDst);
      requiresSound(coop, 'all', src, dst, count);
      move(coop, T, src, dst, count, call.options, op);
    },
  );
}

/** A sum whose sources and destinations come from the author's functions. */
export function sumEach(name: string, move: Move): DeviceFn<SumEach> {
  return intrinsic(
    { name: `reduceCopy.${name}`, use: { moveEach: moveEach(move) }, params: sum },
    ({ moveEach }, call) => moveEach(call),
  );
}

/** A reduction with the author's operator. `accepts` are the options that `move` takes. */
export function reduceEach<Options>(
  name: string,
  accepts: OptionsParam<Options>,
  move: Move<Options>,
): DeviceFn<ReduceEach<Options>> {
  const params = { ...both, op: operator, count: anyIntegerParam, 'options?': accepts };
  return intrinsic({ name: `reduceCopy.${name}`, use: { moveEach: moveEach(move) }, params }, ({ moveEach }, call) =>
    moveEach(call, call.op),
  );
}
