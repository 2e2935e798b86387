import type { LocalId } from '@nccl-ts/ir';

/** A local that holds one lane of another local. */
export interface LaneOfLocal {
  readonly vector: LocalId;
  readonly index: number;
}
