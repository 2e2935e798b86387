import type { DeviceFn } from '@nccl-ts/kernel';
import { reduceOptions } from './impl/forms.ts';
import { reduce, reduceChanged } from './impl/move.ts';
import { reduceEach, sumEach, type ReduceEach, type SumEach } from './impl/reduce-each.ts';
import type { ReduceOptions } from './reduce-copy-options.ts';

/** Implements {@link ReduceCopy.lsaReduceLsaCopy}. */
export const lsaReduceLsaCopy: DeviceFn<ReduceEach<ReduceOptions>> = reduceEach(
  'lsaReduceLsaCopy',
  reduceOptions,
  reduceChanged,
);

/** Implements {@link ReduceCopy.lsaReduceSumLsaCopy}. */
export const lsaReduceSumLsaCopy: DeviceFn<SumEach> = sumEach('lsaReduceSumLsaCopy', reduce({ symmetric: false }));
