/**
 * What a rank does during a slice.
 *
 * - `launch`: a CTA is on its way, from its start to its end; what it does meanwhile lies inside;
 * - `compute`: it computes, or loads and stores;
 * - `wait`: it waits for something that others do;
 * - `put`, `get`, `signal`: it issues that operation of GIN;
 * - `barrier`: it is in a barrier;
 * - `network`: a queue carries data or signals.
 */
export type SliceCategory = 'launch' | 'compute' | 'wait' | 'put' | 'get' | 'signal' | 'barrier' | 'network';

/**
 * What a slice's time counts as in sums: time that somebody works, time that somebody waits, time
 * on the network.
 */
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

/** What the time of a slice counts as; that of slices inside of it counts as theirs. */
export function activityOf(category: SliceCategory): Activity {
  return activities[category];
}
