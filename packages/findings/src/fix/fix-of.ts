import type { Finding, MissingIngredient } from '../check/finding.ts';
import { outermostLocation } from '../check/location-json.ts';
import type { Fix } from './fix.ts';

/**
 * Returns the change that fixes a finding, if it is one word of the author's file: an order that is
 * too weak, or a scope that is too narrow. Returns `undefined` if more is missing, such as a
 * barrier. Check again after the change, because a finding may have several causes; `repairProgram`
 * of `@nccl-ts/relax` does that, and tries more.
 */
export function fixOf({ missing }: Finding): Fix | undefined {
  for (const one of missing) {
    const fix = wordFixOf(one);
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

function wordFixOf({ kind, at }: MissingIngredient): Fix | undefined {
  const words = stronger[kind];
  if (words === undefined || at?.place === undefined) return undefined;
  const { location, quote } = outermostLocation(at.place);
  if (location === undefined || quote.from !== 'author') return undefined;
  for (const { 0: literal, 2: word = '', index } of quote.text.slice(quote.start).matchAll(/(['"])(\w+)\1/g)) {
    const insert = Object.hasOwn(words, word) ? words[word] : undefined;
    if (insert === undefined) continue;
    const { file, line } = location;
    const column = quote.start + index + 2;
    const edit = { line, column, endColumn: column + literal.length - 2, insert };
    return { title: `${insert} instead of ${word}`, file, edits: [edit] };
  }
  return undefined;
}
