import type { DeviceFn } from '@nccl-ts/kernel';
import { options } from './impl/forms.ts';
import { reduceByMulticast } from './impl/move.ts';
import { reduceEach, type ReduceEach } from './impl/reduce-each.ts';
import type { ReduceCopyOptions } from './reduce-copy-options.ts';

/** Implements {@link ReduceCopy.lsaReduceMultimemCopy}. */
export const lsaReduceMultimemCopy: DeviceFn<ReduceEach<ReduceCopyOptions>> = reduceEach(
  'lsaReduceMultimemCopy',
  options,
  reduceByMulticast({ fromAll: false, toAll: true, symmetric: false }),
);
