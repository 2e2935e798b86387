/**
 * The network requests that a barrier completes, on top of meeting: `put`: those that any rank of
 * the team had put to this one before it arrived, by the barrier's contexts, are visible; `get`:
 * those that this rank had got are there.
 */
export type GinFence = 'none' | 'put' | 'get' | 'putGet';
