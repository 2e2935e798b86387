import type { NcclError } from '@nccl-ts/core';
import type { SourceLocation } from '@nccl-ts/ir';

/** Mismatched calls of several ranks. The rank that made the last of them gets the error. */
export interface RankMisuse {
  /** One sentence that names the ranks and their calls. */
  readonly error: NcclError;
  /** The mismatched calls, with world ranks. */
  readonly calls: readonly RankCall[];
}

/** A call of one rank's host program. */
export interface RankCall {
  readonly rank: number;
  /**
   * A description of the call, with its call site if known: `allReduce(sum, 64 f32) at
   * program.ts:12:9`.
   */
  readonly does: string;
  /** The position of the call in the author's file, if that is known. */
  readonly call?: SourceLocation;
}
