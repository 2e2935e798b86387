import type { Module } from '@nccl-ts/ir';
import type { Phantom } from './author/phantom.ts';
import type { ParamTypes } from './author/param-type.ts';
import type { BodyFunction, Use } from './author/device-fn.ts';
import type { DefinitionSite } from './capture/definition-site.ts';

/**
 * A kernel. Its text is compiled on first use. `Args` is the type of the arguments that a launch
 * passes.
 */
export interface Kernel<Args = unknown> extends Phantom<never, Args> {
  readonly kind: 'kernel';
  readonly name: string;
  readonly use: Use;
  readonly params: ParamTypes;
  readonly body: BodyFunction;
  /** The version in the definition. If undefined, the running version applies. */
  readonly apiVersion: number | undefined;
  /** The call site of `kernel(...)`. */
  readonly site: DefinitionSite;
  /**
   * Returns the kernel's IR. The text is compiled once, and later calls return the same module.
   *
   * @throws NcclError `NCCLTS_COMPILE` with the rendered diagnostics as message and the values in
   *   `details.diagnostics`.
   */
  compile(): Module;
}
