import type { Module } from '@nccl-ts/ir';
import type { Phantom } from './author/phantom.ts';
import type { ParamTypes } from './author/param-type.ts';
import type { BodyFunction, Use } from './device-fn.ts';
import type { DefinitionSite } from './capture/definition-site.ts';

/** A kernel: a text, compiled on first use. `Args` is the value that a launch passes. */
export interface Kernel<Args = unknown> extends Phantom<never, Args> {
  readonly kind: 'kernel';
  readonly name: string;
  readonly use: Use;
  readonly params: ParamTypes;
  readonly body: BodyFunction;
  /** As in the definition; undefined: the version that runs it. */
  readonly apiVersion: number | undefined;
  /** Where `kernel(...)` was called. */
  readonly site: DefinitionSite;
  /**
   * The kernel as IR; parsed once and kept.
   *
   * @throws NcclError `NCCLTS_COMPILE` with the rendered diagnostics as message and the values in
   *   `details.diagnostics`.
   */
  compile(): Module;
}
