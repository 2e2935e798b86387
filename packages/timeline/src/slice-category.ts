import type { SliceCategory } from '@nccl-ts/core';

/** The activity of a slice in summaries: busy, waiting, or on the network. */
export type Activity = 'busy' | 'wait' | 'network';

const activities: Readonly<Record<SliceCategory, Activity>> = {
  launch: 'busy',
  compute: 'busy',
  wait: 'wait',
  put: 'busy',
  get: 'busy',
  signal: 'busy',
  barrier: 'wait',
  fence: 'wait',
  network: 'network',
};

/** Every category, in the order of legends. */
export const sliceCategories: readonly SliceCategory[] = Object.freeze([
  'launch',
  'compute',
  'wait',
  'put',
  'get',
  'signal',
  'barrier',
  'fence',
  'network',
]);

/** True if `value` is a category. */
export function isSliceCategory(value: unknown): value is SliceCategory {
  return typeof value === 'string' && Object.hasOwn(activities, value);
}

/** Returns the activity of a slice. Slices inside it count separately. */
export function activityOf(category: SliceCategory): Activity {
  return activities[category];
}
