import type { CoopLike, Ptr } from '@nccl-ts/kernel';

/**
 * The state of a session. Of the two words at `smem`, the first counts the completed phases, and
 * the second the submitted operations whose source was not read yet.
 */
export interface CftState {
  smem: Ptr;
  coop: CoopLike;
  /** The flushes of the calling thread so far. */
  phase: number;
}
