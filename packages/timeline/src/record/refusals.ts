import { NcclError, showValue, type SliceArgs, type SliceBegin } from '@nccl-ts/core';

import { isSliceCategory, sliceCategories } from '../slice-category.ts';
import { latestTime } from './latest-time.ts';

/** The error for an argument that is wrong by itself. */
export function badArgument(message: string, details: Readonly<Record<string, unknown>>): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message, { details });
}

/** The error for data that does not fit together. */
export function badUsage(
  problem: 'open' | 'flight' | 'overlap' | 'loose',
  message: string,
  details: Readonly<Record<string, unknown>>,
): NcclError {
  return new NcclError('NCCL_INVALID_USAGE', message, { details: { problem, ...details } });
}

/** Returns `time` if a timeline can hold it. */
export function expectTime(what: string, time: number): number {
  if (time >= 0 && time <= latestTime) return time;
  throw badArgument(
    `${what} must be a number of nanoseconds from 0 to ${latestTime} (2^50); given ${showValue(time)}.`,
    { what, given: time, min: 0, max: latestTime },
  );
}

/** Throws if the slice's category is unknown. */
export function expectCategory({ name, category }: SliceBegin): void {
  if (isSliceCategory(category)) return;
  throw badArgument(
    `the category of slice ${showValue(name)} must be one of ${sliceCategories.join(', ')}; given ${showValue(category)}.`,
    { what: 'category', given: category, slice: name },
  );
}

/** Returns a frozen copy of the facts about a slice. If both have a fact, `more` wins. */
export function frozenArgs(slice: string, args: SliceArgs, more: SliceArgs = {}): SliceArgs {
  const copy: SliceArgs = { ...args, ...more };
  for (const [name, value] of Object.entries<unknown>(copy)) {
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) continue;
    throw badArgument(
      `"${name}" of slice ${showValue(slice)} must be a string, a boolean or a finite number, which JSON can hold; ` +
        `given ${showValue(value)}.`,
      { what: name, given: value, slice },
    );
  }
  return Object.freeze(copy);
}
