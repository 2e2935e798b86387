/**
 * The activity of a rank during a slice.
 *
 * - `launch`: a CTA, from its start to its end, with its other slices inside;
 * - `compute`: it computes, or loads and stores;
 * - `wait`: it waits for an event of others;
 * - `put`, `get`, `signal`: it issues that operation of GIN;
 * - `barrier`: it is in a barrier;
 * - `network`: a queue carries data or signals.
 */
export type SliceCategory = 'launch' | 'compute' | 'wait' | 'put' | 'get' | 'signal' | 'barrier' | 'network';

/** The activity of a slice in sums: busy, waiting, or on the network. */
export type Activity = 'busy' | 'wait' | 'network';

const activities: Readonly<Record<SliceCategory, Activity>> = {
  launch: 'busy',
  compute: 'busy',
  wait: 'wait',
  put: 'busy',
  get: 'busy',
  signal: 'busy',
  barrier: 'wait',
  network: 'network',
};

/** Every category, in the order in which legends name them. */
export const sliceCategories: readonly SliceCategory[] = Object.freeze([
  'launch',
  'compute',
  'wait',
  'put',
  'get',
  'signal',
  'barrier',
  'network',
]);

/** True if `value` is a category. */
export function isSliceCategory(value: unknown): value is SliceCategory {
  return typeof value === 'string' && Object.hasOwn(activities, value);
}

/** The activity of a slice; slices inside of it count separately. */
export function activityOf(category: SliceCategory): Activity {
  return activities[category];
}
