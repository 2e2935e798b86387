import type { Finding, MissingIngredient } from './finding.ts';
import { shownPlace } from './place-json.ts';

/** A change of one line that adds the missing part of a finding. */
export interface Fix {
  /** The change in a few words: `release instead of relaxed`. */
  readonly title: string;
  /** The path of the author's file. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The columns to replace, from 1; `endColumn` is one past the last. */
  readonly column: number;
  readonly endColumn: number;
  readonly insert: string;
}

/**
 * Returns the change that fixes a finding, if it is one word of the author's file: an order that is
 * too weak, or a scope that is too narrow. Returns `undefined` if more is missing, such as a
 * barrier. Check again after the change, because a finding may have several causes.
 */
export function fixOf(finding: Finding): Fix | undefined {
  for (const missing of finding.missing) {
    const fix = fixOfMissing(missing);
    if (fix !== undefined) return fix;
  }
  return undefined;
}

/** The words that are too weak, with their replacements, for each missing ingredient. */
const stronger: Partial<Readonly<Record<MissingIngredient['kind'], Readonly<Record<string, string>>>>> = {
  release: { relaxed: 'release', acquire: 'acq_rel' },
  acquire: { relaxed: 'acquire', release: 'acq_rel' },
  scope: { thread: 'system', block: 'system', device: 'system' },
};

function fixOfMissing({ kind, at }: MissingIngredient): Fix | undefined {
  const words = stronger[kind];
  if (words === undefined || at?.place === undefined) return undefined;
  const { location, quote } = shownPlace(at.place);
  if (location === undefined || quote.from !== 'author') return undefined;
  for (const { 0: literal, 2: word = '', index } of quote.text.slice(quote.start).matchAll(/(['"])(\w+)\1/g)) {
    const better = Object.hasOwn(words, word) ? words[word] : undefined;
    if (better === undefined) continue;
    const column = quote.start + index + 2;
    return {
      title: `${better} instead of ${word}`,
      file: location.file,
      line: location.line,
      column,
      endColumn: column + literal.length - 2,
      insert: better,
    };
  }
  return undefined;
}
