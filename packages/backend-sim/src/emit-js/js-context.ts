import type { EmitContext } from '../emit-shared/context.ts';
import type { RegionSet } from '../emit-wasm/region-set.ts';

/** The state that emitters of statements share, beyond that of expressions. */
export interface JsContext extends EmitContext {
  /** Takes the loops over threads that become WebAssembly, where they shall. */
  readonly regions: RegionSet | undefined;
}
