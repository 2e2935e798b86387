import type { LocalId } from '@nccl-ts/ir';

/** A local that holds one lane of what another one still holds. */
export interface LaneOfLocal {
  readonly vector: LocalId;
  readonly index: number;
}
