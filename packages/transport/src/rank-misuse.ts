import type { NcclError } from '@nccl-ts/core';

/** Calls of several ranks that do not go together. Whoever made the last of them gets the error. */
export interface RankMisuse {
  /** One sentence that names the ranks and their calls. */
  readonly error: NcclError;
  /** The calls that do not go together. World ranks. */
  readonly calls: readonly RankCall[];
}

/** What one rank's host program asked for. */
export interface RankCall {
  readonly rank: number;
  /**
   * The call in words, with its place where that is known: `allReduce(sum, 64 f32) at
   * program.ts:12:9`.
   */
  readonly does: string;
}
