import { lineAt, renderDiagnostic, type RenderOptions } from '@nccl-ts/ir';
import type { PtxDiagnostic } from './syntax/diagnostic.ts';
import type { PtxLocation, PtxModule } from './syntax/module.ts';

/**
 * Renders the diagnostic for people: the message, the line of the PTX, the author's line if the
 * text contains it, and help. If the module could not be read, its name and text are enough.
 */
export function renderPtxDiagnostic(
  { code, severity, message, help, span, location }: PtxDiagnostic,
  module: PtxModule | Pick<PtxModule, 'name' | 'text'>,
  options: RenderOptions = {},
): string {
  const { name, text } = module;
  const source = { name, text, locate: (offset: number) => ({ file: name, ...lineAt(text, offset) }) };
  const locations = 'files' in module ? locationTexts(location, module) : [];
  return renderDiagnostic(
    {
      code,
      severity,
      message,
      labels: [{ span: { source: 0, ...span }, text: '' }],
      notes: locations.length === 0 ? [] : [`it comes from ${locations.join(', inlined at ')}`],
      ...(help === undefined ? {} : { hint: help }),
    },
    [source],
    options,
  );
}

/** The author's source locations, the innermost first. */
function locationTexts(location: PtxLocation | undefined, { files }: PtxModule): readonly string[] {
  const locations: string[] = [];
  for (let at = location; at !== undefined; at = at.inlinedAt) {
    const file = files.get(at.file);
    if (file !== undefined) locations.push(`${file}:${at.line}:${Math.max(1, at.column)}`);
  }
  return locations;
}
