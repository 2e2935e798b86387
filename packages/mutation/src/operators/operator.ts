import type { Body, Local } from '@nccl-ts/ir';
import type { MutationOperator } from '../mutant.ts';
import type { Place } from '../tree/place.ts';

/** One way to break the statement at a place. */
export interface Change {
  readonly operator: MutationOperator;
  /** Tells changes of one operator at one place apart: `release`. */
  readonly detail?: string;
  /** What happens to the statement, after its name: `is removed`. */
  readonly does: string;
  /** What stands there instead. */
  readonly becomes: Body;
  /** Locals that `becomes` needs; the first of them has the index `module.locals.length`. */
  readonly locals?: readonly Local[];
}

/** The ways to break the statement at `place`; none where it synchronises nothing. */
export type Operator = (place: Place) => readonly Change[];
