import type { Body, LocalId, LoopStatement } from '@nccl-ts/ir';
import type { Induction } from '../emit-shared/induction.ts';

/**
 * The threads that run, from 0 to `count`, or all if that is absent, and the known facts about
 * them.
 */
export interface ThreadRange {
  readonly count: string | undefined;
  readonly inductions: readonly Induction[];
}

/** A run of statements that every thread of a range executes, one thread after the other. */
export interface ThreadRun {
  readonly statements: Body;
  readonly before: ReadonlySet<LocalId>;
  readonly after: ReadonlySet<LocalId>;
  readonly range: ThreadRange;
  /** Absent if turns cannot pause. */
  readonly pauses?: Pauses | undefined;
}

/** How the turn of a CTA pauses in a run. */
export interface Pauses {
  /** Returns statements that run `call`, and pause if it returns true. */
  pausing(call: string): readonly string[];
  /** True inside a loop or branch that all threads share. */
  readonly isInside: boolean;
  /** Returns the locals that have a value at the head of a loop. */
  liveAt(loop: LoopStatement): ReadonlySet<LocalId>;
}
