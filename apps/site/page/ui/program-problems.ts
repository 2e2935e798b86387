import type { KernelAnalysis } from '../protocol.ts';
import type { LineProblem } from './editor.ts';
import { outermost } from './results.ts';

/**
 * The problems of a program, by line: compile errors of kernels, an error of the module, a host
 * that is missing.
 */
export function problemsOf(
  { diagnostics, kernels, hasHost, problem }: KernelAnalysis,
  text: string,
): readonly LineProblem[] {
  const compileErrors = diagnostics.flatMap(({ code, message, labels, hint }): LineProblem[] => {
    const location = labels[0]?.place;
    if (location === undefined) return [];
    const { line, column, endColumn } = outermost(location);
    return [{ line, column, endColumn, code, text: `${message}${hint === undefined ? '' : `\nhint: ${hint}`}` }];
  });
  if (problem !== undefined) {
    const { line, message } = problem;
    return line === undefined ? compileErrors : [...compileErrors, { line, column: 1, endColumn: 200, text: message }];
  }
  return hasHost || kernels.length === 0 ? compileErrors : [...compileErrors, missingHost(text)];
}

/** A kernel that nothing launches can neither run nor be checked. */
function missingHost(text: string): LineProblem {
  const lines = text.split('\n');
  const declared = lines.findIndex((line) => /^\s*(?:async\s+)?function\s+host\b|^\s*const\s+host\s*=/.test(line));
  if (declared !== -1) {
    const message =
      'The page finds no host program, because this function is not exported: write export in front of it.';
    return { line: declared + 1, column: 1, endColumn: 200, text: message, severity: 'warning' };
  }
  const first = lines.findIndex((line) => /\bkernel\s*\(/.test(line));
  const message =
    'Nothing launches this kernel: add export async function host(comm) { … }, which runs once for every rank.';
  return { line: Math.max(0, first) + 1, column: 1, endColumn: 200, text: message, severity: 'warning' };
}
