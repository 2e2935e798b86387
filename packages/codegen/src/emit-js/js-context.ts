import type { EmitContext } from '../emit-shared/context.ts';
import type { KernelRegions } from '../emit-shared/kernel-regions.ts';

/** The state that emitters of statements share, in addition to that of expressions. */
export interface JsContext extends EmitContext {
  /** Collects the loops over threads that become WebAssembly, if any may. */
  readonly regions: KernelRegions | undefined;
}
