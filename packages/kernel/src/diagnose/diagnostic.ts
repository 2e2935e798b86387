import { at } from '@nccl-ts/core';
import type { Diagnostic, Label, Repair, Span } from '@nccl-ts/ir';

/** An error at one span, with a label for it and a suggestion. */
export function error(
  code: Diagnostic['code'],
  span: Span,
  text: {
    readonly message: string;
    readonly label?: string;
    readonly hint?: string;
    readonly notes?: readonly string[];
    readonly repair?: Repair | undefined;
  },
  ...more: readonly Label[]
): Diagnostic {
  const { message, label = '', hint, notes = [], repair } = text;
  const labels = Object.freeze([{ span, text: label }, ...more]);
  return Object.freeze({
    code,
    severity: 'error',
    message,
    labels,
    notes,
    ...(hint === undefined ? {} : { hint }),
    ...(repair === undefined ? {} : { repair }),
  });
}

/** `a`, `a or b`, `a, b or c`: a list of allowed values, for a message. */
export function oneOf(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`;
}

/** Lists names for a message. Of many names it lists only the first. */
export function listed(names: readonly string[]): string {
  const most = 16;
  return names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')}, ...`;
}

/** The known word closest to a misspelt one, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= Math.max(1, Math.floor(word.length / 3)) && distance < (best?.distance ?? Infinity)) {
      best = { word: candidate, distance };
    }
  }
  return best?.word;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8 || a.length > 64 || b.length > 64) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitute, at(row, j) + 1, at(next, j - 1) + 1));
    }
    row = next;
  }
  return at(row, b.length);
}
