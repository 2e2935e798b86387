import type { Body, Expression, LocalId, LoopStatement } from '@nccl-ts/ir';

import type { AffineTracker } from './affine.ts';
import type { Components as Texts, EmitContext } from './context.ts';
import type { Induction } from './induction.ts';
import type { ModuleText } from './module-text.ts';
import type { PausePoint } from './pausing.ts';
import type { Prologue } from './prologue.ts';

/** A loop over the threads of a CTA, as the JavaScript emitter has prepared it. */
export interface RegionInput {
  readonly context: EmitContext;
  readonly text: ModuleText;
  readonly name: string;
  readonly statements: Body;
  /**
   * The locals that it reads or sets, those that it sets, and the shared ones that later code
   * reads.
   */
  readonly mentioned: ReadonlySet<LocalId>;
  readonly assigned: ReadonlySet<LocalId>;
  readonly results: readonly LocalId[];
  /** The locals that have a value before the loop, and those that need one after it. */
  readonly before: ReadonlySet<LocalId>;
  readonly after: ReadonlySet<LocalId>;
  /** True if the function receives the number of threads, `count`. */
  readonly counted: boolean;
  /**
   * True if the threads are those of all rounds of a loop, in one row. Then nothing may depend on
   * the thread.
   */
  readonly isRow: boolean;
  /** The loops in which a turn may pause. */
  readonly points: ReadonlyMap<LoopStatement, PausePoint>;
  /** See `pausesIn`. */
  readonly isInside: boolean;
  readonly inductions: ReadonlyMap<LocalId, Induction>;
  readonly prologue: Prologue;
  readonly tracker: AffineTracker;
  /**
   * Computes a value in JavaScript before the loop. Returns `undefined` if it differs by thread.
   */
  readonly hoist: (e: Expression) => Texts | undefined;
  /**
   * True for a local that all threads share and the loop sets, and that has a value before the
   * loop.
   */
  readonly isShared: (id: LocalId) => boolean;
}
