import type { LocalId } from '@nccl-ts/ir';

/**
 * A local whose value in thread `t` is the variable `base` plus `step * t`, exactly and in range.
 */
export interface Induction {
  readonly local: LocalId;
  readonly base: string;
  readonly step: number;
}
