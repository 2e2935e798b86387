import type { NcclError } from '@nccl-ts/core';
import type { SourceLocation } from '@nccl-ts/ir';

/** Calls of several ranks that do not match. The rank that made the last of them gets the error. */
export interface RankMisuse {
  /** One sentence that names the ranks and their calls. */
  readonly error: NcclError;
  /** The calls that do not match. World ranks. */
  readonly calls: readonly RankCall[];
}

/** A call of one rank's host program. */
export interface RankCall {
  readonly rank: number;
  /**
   * The call in words, with its call site if that is known: `allReduce(sum, 64 f32) at
   * program.ts:12:9`.
   */
  readonly does: string;
  /** The position of the call in the author's file, if that is known. */
  readonly call?: SourceLocation;
}
