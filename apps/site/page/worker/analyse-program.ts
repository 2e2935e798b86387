import { NcclError } from '@nccl-ts/core';
import { diagnosticsToJson, findingOfError, type DiagnosticJson } from '@nccl-ts/findings';
import { analyseKernel, stackLocation } from '@nccl-ts/kernel';
import type { KernelAnalysis, Problem } from '../protocol.ts';
import { kernelsOf } from './kernels-of.ts';
import { lineAt } from './line-at.ts';
import { registry } from './registry.ts';
import { showValue } from './show-value.ts';

/** Finds the compile errors of a program's kernels. Only the module's top level runs. */
export async function analyseProgram(text: string): Promise<KernelAnalysis> {
  try {
    const { kernels, hasHost } = await kernelsOf(text);
    const diagnostics: DiagnosticJson[] = [];
    for (const kernel of kernels) {
      const result = analyseKernel(kernel);
      if (!result.ok) diagnostics.push(...diagnosticsToJson(result.diagnostics, result.sources));
    }
    return { diagnostics, kernels: kernels.map(({ name }) => name), hasHost };
  } catch (error) {
    return { diagnostics: [], kernels: [], hasHost: false, problem: problemOf(error) };
  }
}

/** Converts an error to plain values, because a message to the page would lose its code. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof Error)) return { message: `The program threw ${showValue(error)}.` };
  const line = lineOf(error);
  return {
    ...(error instanceof NcclError ? { code: error.code } : {}),
    message: error instanceof NcclError ? error.message : `${error.name}: ${error.message}${importOf(error)}`,
    ...(line === undefined ? {} : { line }),
  };
}

/** The import of a name that is not defined, if the facade has it. */
function importOf(error: Error): string {
  const [, name = ''] = (error instanceof ReferenceError && /^(\w+) is not defined/.exec(error.message)) || [];
  return Object.hasOwn(registry['nccl-ts'] ?? {}, name) ? `: import { ${name} } from 'nccl-ts'` : '';
}

/** The line of the program: of the text, of the kernel that failed, or of the host's call. */
function lineOf(error: Error): number | undefined {
  const loc: unknown = 'loc' in error ? error.loc : undefined;
  if (typeof loc === 'object' && loc !== null && 'line' in loc && typeof loc.line === 'number') return loc.line;
  // The compile errors of a kernel have their own lines.
  if (error instanceof NcclError && error.code === 'NCCLTS_COMPILE') return undefined;
  const { labels, deadlock, fault } = findingOfError(error, { strategy: '', seed: 0 }) ?? {};
  const location = labels?.[0]?.place ?? fault?.place ?? deadlock?.waiting[0]?.place;
  return location === undefined ? stackLocation(error.stack)?.line : lineAt(location);
}
