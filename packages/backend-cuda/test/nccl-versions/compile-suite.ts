import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { allCases } from '@nccl-ts/conformance';
import { isNcclError } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { compileTexts } from '../support/nvcc.ts';
import type { Headers } from './compile-rows.ts';

/** The results for all kernels of the conformance suite and one version. */
export interface SuiteResult {
  readonly compiled: number;
  /** The kernels that were refused by name, with the messages. */
  readonly refused: ReadonlyMap<string, string>;
  /** The kernels whose text nvcc rejects, with its messages. */
  readonly failed: ReadonlyMap<string, string>;
}

/** The number of kernels that are compiled as one text: most of the time goes to the headers. */
const BATCH = 48;

/**
 * Compiles each kernel of the conformance suite against the headers. `onProgress` is called after
 * each compilation with the number of kernels that are left.
 */
export function compileSuite(headers: Headers, onProgress: (left: number) => void): SuiteResult {
  const refused = new Map<string, string>();
  const failed = new Map<string, string>();
  const texts: NamedText[] = [];
  for (const kernel of new Set(allCases.flatMap(({ kernels }) => kernels))) {
    const text = textOf(kernel, headers.ncclVersion);
    if (text.isRefused) refused.set(kernel.name, text.text);
    else texts.push({ name: kernel.name, text: text.text });
  }
  let left = texts.length;
  const compile = (batch: readonly NamedText[]): void => {
    const message = problemOf(batch, headers);
    if (message === undefined || batch.length === 1) {
      for (const { name } of batch) if (message !== undefined) failed.set(name, message);
      left -= batch.length;
      onProgress(left);
      return;
    }
    // One of them is rejected, or more.
    const half = batch.length >> 1;
    compile(batch.slice(0, half));
    compile(batch.slice(half));
  };
  for (let at = 0; at < texts.length; at += BATCH) compile(texts.slice(at, at + BATCH));
  return { compiled: texts.length - failed.size, refused, failed };
}

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The text of a kernel, or the message with which it is refused. */
function textOf(kernel: Kernel, ncclVersion: number): { readonly isRefused: boolean; readonly text: string } {
  const module = kernel.compile();
  const checked = validate(module, { ...cuda().capabilities, multimem: true });
  if (!checked.ok) return { isRefused: true, text: checked.diagnostics.map(({ message }) => message).join('; ') };
  try {
    return { isRefused: false, text: emitCuda(checked.module, { ncclVersion }).text };
  } catch (error) {
    if (!isNcclError(error, 'NCCLTS_NOT_SUPPORTED')) throw error;
    return { isRefused: true, text: error.message };
  }
}

function problemOf(batch: readonly NamedText[], { include, flags }: Headers): string | undefined {
  try {
    compileTexts(
      batch.map(({ text }) => text),
      // Multicast reductions of 8-bit floats need this architecture.
      ['-arch=sm_100a', '-I', include, ...flags],
    );
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
