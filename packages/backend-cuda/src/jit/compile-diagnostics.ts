import type { Diagnostic } from '@nccl-ts/ir';
import type { CudaSource } from '../cuda-source.ts';
import { sourceName } from './nvcc.ts';

const errorLine = new RegExp(
  `^${sourceName.replace('.', '\\.')}\\((\\d+)\\): (?:catastrophic )?error(?: #[\\w-]+)?: (.*)$`,
);

/**
 * The compiler's errors, each at the place of the kernel that its line was made from. Errors elsewhere, such as in NCCL's
 * headers or of the assembler, have no label.
 */
export function compileDiagnostics(messages: string, source: CudaSource): readonly Diagnostic[] {
  return messages.split('\n').flatMap((text): readonly Diagnostic[] => {
    const found = errorLine.exec(text.trim());
    if (found === null) return [];
    const line = Number(found[1]) - 1;
    const message = found[2] ?? '';
    const span = source.lines[line];
    return [
      {
        code: 'K9001',
        severity: 'error',
        message: `the CUDA C++ made from this does not compile: ${message}`,
        labels: span === undefined ? [] : [{ span, text: 'made from this' }],
        notes: [`line ${line + 1} of the text: ${(source.text.split('\n')[line] ?? '').trim()}`],
      },
    ];
  });
}
