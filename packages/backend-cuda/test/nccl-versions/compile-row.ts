import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { isNcclError, ncclVersionText } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { compileText } from '../support/nvcc.ts';

/** The result for one row and one version. */
export type RowResult =
  | { readonly kind: 'compiles' }
  /** The text was refused. The error names the version that adds the feature. */
  | { readonly kind: 'lacks'; readonly since: string }
  | { readonly kind: 'fails'; readonly kernel: string; readonly messages: string };

/** The headers against which to compile, and nvcc's flags for them. */
export interface Headers {
  readonly ncclVersion: number;
  readonly include: string;
  readonly flags: readonly string[];
}

/** Compiles the text of all kernels against the headers, until one fails. */
export function compileRow(kernels: readonly Kernel[], { ncclVersion, include, flags }: Headers): RowResult {
  for (const kernel of kernels) {
    const result = validate(kernel.compile(), { ...cuda().capabilities, multimem: true });
    if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
    try {
      compileText(emitCuda(result.module, { ncclVersion }).text, ['-arch=sm_90', '-ptx', '-I', include, ...flags]);
    } catch (error) {
      const since = isNcclError(error, 'NCCLTS_NOT_SUPPORTED') ? error.details['since'] : undefined;
      if (typeof since === 'number') return { kind: 'lacks', since: ncclVersionText(since) };
      return { kind: 'fails', kernel: kernel.name, messages: error instanceof Error ? error.message : String(error) };
    }
  }
  return { kind: 'compiles' };
}
