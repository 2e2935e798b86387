import { expectInteger, NcclError } from '@nccl-ts/core';
import type { Module } from '@nccl-ts/ir';
import type { AuthorOf, HostOf } from './author/phantom.ts';
import type { ParamTypes } from './author/param-type.ts';
import type { Context, Use } from './author/device-fn.ts';
import { definitionSite } from './capture/definition-site.ts';
import { compileKernel } from './compile-kernel.ts';
import type { Kernel } from './kernel-value.ts';

/** The types of the parameters in a body. */
export type ParamsAuthor<P extends ParamTypes> = { readonly [Name in keyof P]: AuthorOf<P[Name]> };
/** The types of the arguments that a launch passes. */
export type ParamsHost<P extends ParamTypes> = { readonly [Name in keyof P]: HostOf<P[Name]> };

export interface KernelDefinition<U extends Use, P extends ParamTypes> {
  readonly name: string;
  /** Device modules, device functions, types and constants that the body uses. */
  readonly use?: U;
  /** The parameters, in the order in which backends pass them. */
  readonly params?: P;
  /**
   * The NCCL version whose device API the kernel is written for, as `ncclVersionCode` returns it. A
   * launch compares it with the running version and with the device communicators that are passed.
   * @default the running version
   */
  readonly apiVersion?: number;
}

/**
 * Defines a kernel. The body is never called. Its text is captured and compiled at the first launch
 * or `compile()`, so it can use only its two parameters. The call to `kernel` itself does no work.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the definition itself is wrong (no name, no
 *   function, no version).
 */
export function kernel<const U extends Use = Record<never, never>, const P extends ParamTypes = Record<never, never>>(
  definition: KernelDefinition<U, P>,
  body: (context: Context<U>, params: ParamsAuthor<P>) => void,
  // Written out, so that editors show the arguments and not the name of this type.
): Kernel<{ readonly [Name in keyof P]: HostOf<P[Name]> }> {
  if (typeof definition !== 'object' || definition === null) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `kernel(): the definition must be an object with a name; given ${typeof definition}.`,
    );
  }
  if (typeof definition.name !== 'string' || definition.name === '') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `kernel(): name must be a string with characters; given ${JSON.stringify(definition.name)}.`,
    );
  }
  if (typeof body !== 'function') {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `kernel '${definition.name}': the body must be a function; given ${typeof body}.`,
    );
  }
  let module: Module | undefined;
  const made: Kernel<ParamsHost<P>> = {
    kind: 'kernel',
    name: definition.name,
    use: Object.freeze({ ...definition.use }),
    params: Object.freeze({ ...definition.params }),
    body,
    apiVersion: apiVersionOf(definition),
    site: definitionSite(kernel),
    compile: () => (module ??= compileKernel(made)),
  };
  return Object.freeze(made);
}

function apiVersionOf({
  name,
  apiVersion,
}: {
  readonly name: string;
  readonly apiVersion?: number;
}): number | undefined {
  if (apiVersion === undefined) return undefined;
  return expectInteger(`kernel '${name}': apiVersion (2.29.7 is 22907)`, apiVersion, 1);
}
