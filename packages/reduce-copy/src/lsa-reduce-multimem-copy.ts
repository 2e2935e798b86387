import { intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { requiresAllApart } from './impl/contracts.ts';
import { coop, integer, options, places, type, typedPlace } from './impl/forms.ts';
import type { Operator } from './impl/join-sources.ts';
import { reduceThrough } from './impl/reduce-through.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

/**
 * `lsaReduceMultimemCopy(coop, T, src, nSrc, dst, nDst, op, count)`: as `lsaReduceLsaCopy`, but
 * `dst(i)` returns multicast pointers. Elements of less than 4 bytes must begin and end at
 * multiples of 4 bytes there.
 *
 * @see ncclLsaReduceMultimemCopy
 */
export const lsaReduceMultimemCopy: DeviceFn<
  (
    coop: CoopLike,
    type: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    op: (a: number, b: number) => number,
    count: number,
    options?: ReduceCopyOptions,
  ) => void
> = intrinsic(
  {
    name: 'reduceCopy.lsaReduceMultimemCopy',
    use: { requiresAllApart, typedPlace, reduceThrough },
    params: {
      coop,
      type,
      src: places,
      nSrc: integer,
      dst: places,
      nDst: integer,
      op: places,
      count: integer,
      'options?': options,
    },
  },
  (
    { requiresAllApart, typedPlace, reduceThrough },
    coop: CoopLike,
    T: TypeFn,
    src: (i: number) => Ptr,
    nSrc: number,
    dst: (i: number) => Ptr,
    nDst: number,
    op: Operator,
    count: number,
    _options?: ReduceCopyOptions,
  ) => {
    const from = (i: number): Ptr => typedPlace(T, src(i));
    const to = (i: number): Ptr => typedPlace(T, dst(i));
    requiresAllApart(coop, from, nSrc, to, nDst, count);
    const of = { src: from, nSrc, dst: to, nDst };
    reduceThrough(coop, T, of, { fromAll: false, toAll: true }, count, false, op);
  },
);
