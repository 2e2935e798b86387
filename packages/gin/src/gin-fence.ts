/**
 * The network requests that a barrier completes, on top of meeting: `put`: those that any rank of
 * the team had put to this one before it arrived, by the barrier's contexts, are visible; `get`:
 * the data of this rank's earlier gets are complete.
 */
export type GinFence = 'none' | 'put' | 'get' | 'putGet';
