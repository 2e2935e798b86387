/**
 * The network requests that a barrier completes in addition to synchronizing. `put`: the puts to
 * this rank by any rank of the team, made before it arrived and on the barrier's contexts, are
 * visible. `get`: the data of this rank's earlier gets has arrived.
 */
export type GinFence = 'none' | 'put' | 'get' | 'putGet';
