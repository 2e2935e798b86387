import { NcclError } from '@nccl-ts/core';
import type { Module } from '@nccl-ts/ir';
import type { ParamTypes } from './author/param-type.ts';
import { definitionSite } from './capture/definition-site.ts';
import type { ParamsHost } from './kernel.ts';
import type { Kernel } from './kernel-value.ts';

/** A kernel whose IR does not come from the text of a function. */
export interface ModuleKernelDefinition<P extends ParamTypes> {
  readonly name: string;
  /** The parameters, in the order of `Module.params`. Composite ones are not flattened here. */
  readonly params?: P;
}

/**
 * Makes a kernel from IR, for front ends of other languages. It launches like any other kernel.
 *
 * @param module is called once, when the kernel is first compiled. The module's parameters must be
 *   those of the definition, flattened.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the name is empty.
 */
export function moduleKernel<const P extends ParamTypes = Record<never, never>>(
  definition: ModuleKernelDefinition<P>,
  module: () => Module,
): Kernel<ParamsHost<P>> {
  const { name, params } = definition;
  if (name === '') throw new NcclError('NCCL_INVALID_ARGUMENT', 'moduleKernel(): name must not be empty.');
  let made: Module | undefined;
  const kernel: Kernel<ParamsHost<P>> = {
    kind: 'kernel',
    name,
    use: Object.freeze({}),
    params: Object.freeze({ ...params }),
    body: noBody,
    apiVersion: undefined,
    site: definitionSite(moduleKernel),
    compile: () => (made ??= module()),
  };
  return Object.freeze(kernel);
}

/** The body is never called. The compiler requests the module and captures no text. */
function noBody(): void {}
