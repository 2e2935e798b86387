import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { isNcclError, ncclVersionText } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { compileTexts } from '../support/nvcc.ts';
import type { VersionRow } from './version-rows.ts';

/** The result for one row and one version. */
export type RowResult =
  | { readonly kind: 'compiles' }
  /** The text was refused. The error names the version that adds the feature. */
  | { readonly kind: 'lacks'; readonly since: string }
  | { readonly kind: 'fails'; readonly messages: string };

/** The headers against which to compile, and nvcc's flags for them. */
export interface Headers {
  readonly ncclVersion: number;
  readonly include: string;
  readonly flags: readonly string[];
}

/**
 * Compiles the text of all kernels of the rows against the headers. Rows that are not refused are
 * one text, since most of the time goes to the headers. If it fails, each row is compiled alone.
 */
export function compileRows(rows: readonly VersionRow[], headers: Headers): readonly RowResult[] {
  const emitted = rows.map(({ kernels }) => emittedRow(kernels, headers.ncclVersion));
  const texts = emitted.flatMap((one) => ('texts' in one ? one.texts : []));
  const whole = compiled(texts, headers);
  return emitted.map((one) => {
    if (!('texts' in one)) return one;
    return whole.kind === 'compiles' ? whole : compiled(one.texts, headers);
  });
}

function compiled(texts: readonly string[], { include, flags }: Headers): RowResult {
  try {
    compileTexts(texts, ['-arch=sm_90', '-I', include, ...flags]);
    return { kind: 'compiles' };
  } catch (error) {
    return { kind: 'fails', messages: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the texts of a row's kernels, or the reason why one is refused. */
function emittedRow(
  kernels: readonly Kernel[],
  ncclVersion: number,
): RowResult | { readonly texts: readonly string[] } {
  try {
    return { texts: kernels.map((kernel) => textOf(kernel, ncclVersion)) };
  } catch (error) {
    const since = isNcclError(error, 'NCCLTS_NOT_SUPPORTED') ? error.details['since'] : undefined;
    if (typeof since !== 'number') throw error;
    return { kind: 'lacks', since: ncclVersionText(since) };
  }
}

function textOf(kernel: Kernel, ncclVersion: number): string {
  const result = validate(kernel.compile(), { ...cuda().capabilities, multimem: true });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion }).text;
}
