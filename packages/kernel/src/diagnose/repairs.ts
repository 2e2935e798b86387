import type { Repair, Span } from '@nccl-ts/ir';

/** The word that was probably meant. */
export function meant(span: Span, word: string, text: string = word): Repair {
  return { kind: 'suggestion', title: `Change it to ${word}.`, edits: [{ span, text }] };
}

export function castOf(span: Span, type: string): Repair {
  const { start, end } = span;
  const edits = [
    { span: { ...span, end: start }, text: `${type}(` },
    { span: { ...span, start: end }, text: ')' },
  ];
  return { kind: 'suggestion', title: `Cast it: ${type}(...).`, edits };
}

/** Replaces `span`, where only one text makes sense. */
export function replaced(span: Span, text: string, title: string): Repair {
  return { kind: 'fix', title, edits: [{ span, text }] };
}

/** Text at the start of `span`. */
export function inserted(span: Span, text: string, title: string): Repair {
  return replaced({ ...span, end: span.start }, text, title);
}

/** Removes each span. */
export function removed(spans: readonly Span[], title: string): Repair {
  return { kind: 'fix', title, edits: spans.map((span) => ({ span, text: '' })) };
}
