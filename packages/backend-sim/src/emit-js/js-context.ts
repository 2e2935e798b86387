import type { EmitContext } from '../emit-shared/context.ts';
import type { RegionSet } from '../emit-wasm/region-set.ts';

/** What the emitters of statements share, beside what those of expressions do. */
export interface JsContext extends EmitContext {
  /** Takes the loops over threads that become WebAssembly, where they shall. */
  readonly regions: RegionSet | undefined;
}
