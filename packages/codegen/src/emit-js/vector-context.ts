import type { Scope } from '../emit-shared/scope.ts';
import type { KnownValues } from './known-values.ts';
import type { InnerPoints, PausePlace } from './pause-places.ts';
import type { ThreadRange } from './thread-run.ts';

/** What code for several threads depends on, and how the turn may pause in it. */
export interface VectorContext {
  readonly scope: Scope;
  readonly range: ThreadRange;
  /** The values of locals, which change as code is emitted. */
  readonly known: KnownValues;
  /** Makes a place at which the turn may pause. Absent in code that is not directly in a state. */
  readonly place: (() => PausePlace) | undefined;
  /** The points of the place around the code. */
  readonly inner: InnerPoints | undefined;
  /** True if loops over threads become WebAssembly if possible. */
  readonly compiles: boolean;
}
