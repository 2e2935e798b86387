import { renderDiagnostic, type RenderOptions } from '@nccl-ts/ir';
import type { PtxDiagnostic } from './diagnostic.ts';
import { spansOf } from './source/spans-of.ts';
import type { PtxModule } from './syntax/module.ts';

/**
 * The diagnostic as people read it: the message, the author's line where the text says it, the line of the PTX, and help. Of a
 * module that could not be read, its name and text are enough.
 */
export function renderPtxDiagnostic(
  { code, severity, message, help, span }: PtxDiagnostic,
  module: PtxModule | Pick<PtxModule, 'name' | 'text'>,
  options: RenderOptions = {},
): string {
  const { sources } = 'files' in module ? spansOf(module) : { sources: [{ name: module.name, text: module.text }] };
  const text = module.text.slice(span.start, span.end).split('\n', 1)[0] ?? '';
  return renderDiagnostic(
    {
      code,
      severity,
      message,
      labels: [{ span: { source: 0, ...span }, text: '' }],
      notes: text.trim() === '' ? [] : [`the instruction is: ${text.trim()}`],
      ...(help === undefined ? {} : { hint: help }),
    },
    sources,
    options,
  );
}
