import type { CoopLike, Ptr } from '@nccl-ts/kernel';

/**
 * The state of a session. Of the two words at `smem`, the first counts the phases that are
 * complete, and the second the submitted operations whose source was not yet read.
 */
export interface CftState {
  smem: Ptr;
  coop: CoopLike;
  /** The flushes of the calling thread so far. */
  phase: number;
}
