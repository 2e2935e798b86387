/**
 * The activity of a rank during a slice.
 *
 * - `launch`: a CTA, from its start to its end, with its other slices inside;
 * - `compute`: the CTA computes, or loads and stores;
 * - `wait`: the CTA waits for an event elsewhere;
 * - `put`, `get`, `signal`: the CTA issues that GIN operation;
 * - `barrier`: the CTA is in a barrier;
 * - `fence`: the CTA waits in a fence or a release until its stores are seen;
 * - `network`: a queue carries data or signals.
 */
export type SliceCategory = 'launch' | 'compute' | 'wait' | 'put' | 'get' | 'signal' | 'barrier' | 'fence' | 'network';

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
