import { deviceFn, intrinsic, type CoopLike, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';
import { requiresAllApart } from './contracts.ts';
import { copyElements } from './copy-elements.ts';
import { coop, elements, integer, options, places, type, typedPlace } from './forms.ts';

type Copy = (
  coop: CoopLike,
  type: TypeFn,
  src: Ptr,
  dst: (i: number) => Ptr,
  nDst: number,
  count: number,
  options?: ReduceCopyOptions,
) => void;

const typed: DeviceFn<Copy> = intrinsic(
  {
    name: 'reduceCopy.copyToPlaces',
    use: { requiresAllApart, typedPlace, copyElements },
    params: { coop, type, src: elements, dst: places, nDst: integer, count: integer, 'options?': options },
  },
  (
    { requiresAllApart, typedPlace, copyElements },
    coop: CoopLike,
    T: TypeFn,
    src: Ptr,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options: ReduceCopyOptions,
  ) => {
    const to = (i: number): Ptr => typedPlace(T, dst(i));
    requiresAllApart(coop, (_i: number) => src, 1, to, nDst, count);
    copyElements(coop, T, src, to, nDst, count, false, options.unroll);
  },
);

/** The form of `lsaCopy` and `localCopy` whose destinations come from a function of the caller. */
export const copyToPlaces: DeviceFn<
  (coop: CoopLike, src: Ptr, dst: (i: number) => Ptr, nDst: number, count: number, options?: ReduceCopyOptions) => void
> = deviceFn(
  { name: 'copyToPlaces', use: { typed } },
  (
    { typed, typeOf },
    coop: CoopLike,
    src: Ptr,
    dst: (i: number) => Ptr,
    nDst: number,
    count: number,
    options?: ReduceCopyOptions,
  ) => {
    typed(coop, typeOf(src), src, dst, nDst, count, options);
  },
);
