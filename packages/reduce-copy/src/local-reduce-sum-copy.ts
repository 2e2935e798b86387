import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import { reduce } from './impl/move.ts';
import { reduceCopyForm } from './impl/reduce-copy-form.ts';
import { dstStride, srcStride } from './impl/region.ts';
import type { ReduceCopy } from './reduce-copy-module.ts';

const strided = reduceCopyForm('localReduceSumCopy', {
  from: srcStride,
  to: dstStride,
  apart: 'all',
  move: reduce({ symmetric: false }),
});

/** @see {@link ReduceCopy.localReduceSumCopy} */
export const localReduceSumCopy: DeviceFn<ReduceCopy['localReduceSumCopy']> = deviceFn(
  { name: 'reduceCopy.localReduceSumCopy', use: { strided } },
  ({ strided, typeOf }, coop, nSrc, srcBase, srcDispl, nDst, dstBase, dstDispl, count, options) => {
    strided(coop, typeOf(srcBase), { nSrc, srcBase, srcDispl }, { nDst, dstBase, dstDispl }, count, options);
  },
);
