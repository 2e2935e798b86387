import type { EmitScope } from '../emit-shared/scope.ts';
import type { KnownValues } from './known-values.ts';
import type { InnerPoints, ResumePoint } from './resume-points.ts';
import type { ThreadRange } from './thread-run.ts';

/** The things on which code for several threads depends, and how the turn may pause in it. */
export interface VectorContext {
  readonly scope: EmitScope;
  readonly range: ThreadRange;
  /** The values of locals, which change as code is emitted. */
  readonly known: KnownValues;
  /** Makes a place at which the turn may pause. Absent in code that is not directly in a state. */
  readonly place: (() => ResumePoint) | undefined;
  /** The points of the place around the code. */
  readonly inner: InnerPoints | undefined;
  /** True if loops over threads become WebAssembly if possible. */
  readonly compiles: boolean;
}
