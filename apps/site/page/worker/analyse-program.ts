import { NcclError } from '@nccl-ts/core';
import { diagnosticsToJson, type DiagnosticJson } from '@nccl-ts/findings';
import { analyseKernel } from '@nccl-ts/kernel';
import type { Analysis, Problem } from '../protocol.ts';
import { kernelsOf } from './kernels-of.ts';

/** Finds the compile errors of a program's kernels. Only the module's top level runs. */
export async function analyseProgram(text: string): Promise<Analysis> {
  try {
    const kernels = await kernelsOf(text);
    const diagnostics: DiagnosticJson[] = [];
    for (const kernel of kernels) {
      const result = analyseKernel(kernel);
      if (!result.ok) diagnostics.push(...diagnosticsToJson(result.diagnostics, result.sources));
    }
    return { diagnostics, kernels: kernels.map(({ name }) => name) };
  } catch (error) {
    return { diagnostics: [], kernels: [], problem: problemOf(error) };
  }
}

/** Converts an error to plain values, because a message to the page would lose its code. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Error)) return { message: String(error) };
  const loc: unknown = 'loc' in error ? error.loc : undefined;
  const line =
    typeof loc === 'object' && loc !== null && 'line' in loc && typeof loc.line === 'number' ? loc.line : undefined;
  return {
    ...(error instanceof NcclError ? { code: error.code } : {}),
    message: error instanceof NcclError ? error.message : `${error.name}: ${error.message}`,
    ...(line === undefined ? {} : { line }),
  };
}
