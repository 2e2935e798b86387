import type { FixEdit } from '@nccl-ts/findings';
import { lineAt } from '@nccl-ts/ir';
import type { Edit } from '@nccl-ts/relax';

/** Edits of a text in the form of the editor, which changes lines. */
export function fixEdits(edits: readonly Edit[], text: string): readonly FixEdit[] {
  return edits
    .toSorted((a, b) => a.span.start - b.span.start)
    .map(({ span, with: insert }) => {
      const { line, column } = lineAt(text, span.start);
      return { line, column, endColumn: column + span.end - span.start, insert };
    });
}
