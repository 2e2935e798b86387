import type { SearchEntry } from './search-entry.ts';

/** An entry that matches, and the range of its text around the first match. */
export interface SearchHit {
  readonly entry: SearchEntry;
  readonly excerpt: string;
}

/** No page may fill the list. */
const EACH_PAGE = 3;
const AROUND = 60;

/**
 * The entries that contain every word of the query, the best first. A word counts most in the
 * heading of a section, then in the title of its page, then in its text. A heading that is the
 * query comes before all others, also if one of the two has spaces or capitals that the other
 * lacks.
 */
export function rankEntries(entries: readonly SearchEntry[], query: string, limit = 12): readonly SearchHit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const whole = words.join('');
  const scored = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words, whole) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const shown = new Map<string, number>();
  const hits: SearchHit[] = [];
  for (const { entry } of scored) {
    const page = entry.url.split('#')[0] ?? '';
    const before = shown.get(page) ?? 0;
    if (before >= EACH_PAGE) continue;
    shown.set(page, before + 1);
    hits.push({ entry, excerpt: excerptOf(entry.text, words) });
    if (hits.length === limit) break;
  }
  return hits;
}

export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function scoreOf({ url, page, heading, kind, text }: SearchEntry, words: readonly string[], whole: string): number {
  const headings = wordsOf(heading);
  const titles = wordsOf(page);
  const lower = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const inHeading = Math.max(0, ...headings.map((one) => likeness(one, word))) * 16;
    const inTitle = Math.max(0, ...titles.map((one) => likeness(one, word))) * 8;
    const inText = Math.min(4, lower.split(word).length - 1);
    const found = inHeading + inTitle + inText;
    if (found === 0 && !headings.join('').includes(whole) && !titles.join('').includes(whole)) return 0;
    score += found;
  }
  const isTop = !url.includes('#');
  if (headings.join('') === whole) score += kind === 'API' ? 40 : 60;
  else if (headings.join('').includes(whole)) score += 24;
  if (isTop && titles.at(-1) === whole) score += 30;
  if (isTop) score += kind === 'Museum' ? 2 : 8;
  return score - Math.min(6, headings.length);
}

/** 1 for the same word, less for its beginning, least for a part of it. */
function likeness(one: string, word: string): number {
  if (one === word) return 1;
  if (one.startsWith(word)) return 0.7;
  return one.includes(word) ? 0.4 : 0;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const from = at <= AROUND ? 0 : text.indexOf(' ', at - AROUND) + 1;
  const part = text.slice(from, from + 3 * AROUND);
  return `${from === 0 ? '' : '… '}${part}${from + part.length < text.length ? ' …' : ''}`;
}
