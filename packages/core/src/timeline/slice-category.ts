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
