import type { LocalId } from '@nccl-ts/ir';

/**
 * A local that in thread `t` is the number in the variable `base` plus `step * t`, exactly and in
 * range.
 */
export interface Induction {
  readonly local: LocalId;
  readonly base: string;
  readonly step: number;
}
