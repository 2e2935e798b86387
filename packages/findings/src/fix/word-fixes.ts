import type { Finding, MissingIngredient } from '../check/finding.ts';
import { outermostLocation } from '../check/location-json.ts';
import type { Fix } from './fix.ts';

/**
 * Returns the change that fixes a finding, if it is one word of the author's file: an order that is
 * too weak, or a scope that is too narrow. Returns `undefined` if more is missing, such as a
 * barrier. Check again after the change, because a finding may have several causes; `provenFixes`
 * does that.
 *
 * @see fixesOf
 */
export function fixOf(finding: Finding): Fix | undefined {
  return wordFixes(finding)[0];
}

/** The words that are too weak, with their replacements, for each missing ingredient. */
const stronger: Partial<
  Readonly<Record<MissingIngredient['kind'], Readonly<Record<string, readonly [string, ...string[]]>>>>
> = {
  release: { relaxed: ['release', 'acq_rel'], acquire: ['acq_rel'] },
  acquire: { relaxed: ['acquire', 'acq_rel'], release: ['acq_rel'] },
  scope: { thread: ['system'], block: ['system'], device: ['system'] },
};

/** The replacements of one word for each missing ingredient, the smallest change first. */
export function wordFixes(finding: Finding): readonly Fix[] {
  const all = finding.missing.map(wordFixesOf);
  return [...all.flatMap((fixes) => fixes.slice(0, 1)), ...all.flatMap((fixes) => fixes.slice(1))];
}

function wordFixesOf({ kind, at }: MissingIngredient): readonly Fix[] {
  const words = stronger[kind];
  if (words === undefined || at?.place === undefined) return [];
  const { location, quote } = outermostLocation(at.place);
  if (location === undefined || quote.from !== 'author') return [];
  for (const { 0: literal, 2: word = '', index } of quote.text.slice(quote.start).matchAll(/(['"])(\w+)\1/g)) {
    const better = Object.hasOwn(words, word) ? words[word] : undefined;
    if (better === undefined) continue;
    const { file, line } = location;
    const column = quote.start + index + 2;
    return better.map((insert) => ({
      title: `${insert} instead of ${word}`,
      file,
      edits: [{ line, column, endColumn: column + literal.length - 2, insert }],
    }));
  }
  return [];
}
