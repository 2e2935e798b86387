import type { Diagnostic } from '@nccl-ts/ir';
import type { CudaSource } from '../cuda-source.ts';
import { errorsOf } from './compile-errors.ts';

/**
 * Returns the compiler's errors in the text, each at the span of its line in the kernel. Errors in
 * lines without a span have no label. Errors elsewhere, such as in NCCL's headers or from the
 * assembler, are left out.
 */
export function compileDiagnostics(messages: string, source: CudaSource): readonly Diagnostic[] {
  const lines = source.text.split('\n');
  return errorsOf(messages).flatMap(({ line, message }): readonly Diagnostic[] => {
    if (line === undefined) return [];
    const span = source.lines[line - 1];
    return [
      {
        code: 'K9001',
        severity: 'error',
        message: `the generated CUDA C++ does not compile: ${message}`,
        labels: span === undefined ? [] : [{ span, text: 'made from this' }],
        notes: [`line ${line} of the text: ${(lines[line - 1] ?? '').trim()}`],
      },
    ];
  });
}
