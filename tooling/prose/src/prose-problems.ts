import { sentencesOf } from './sentences.ts';

export const MOST_COLUMNS = 100;
export const MOST_WORDS = 40;
export const MEAN_WORDS = 15;

export interface ProseProblem {
  readonly line: number;
  readonly text: string;
}

/** What the style page forbids and a program can see in a document. */
export function proseProblems(markdown: string): readonly ProseProblem[] {
  return [...wideLines(markdown), ...badSentences(markdown)].toSorted((a, b) => a.line - b.line);
}

/** The mean length of a document's sentences, in words; undefined where it has none. */
export function meanWords(markdowns: readonly string[]): number | undefined {
  const all = markdowns.flatMap((text) => sentencesOf(text));
  return all.length === 0 ? undefined : all.reduce((sum, { words }) => sum + words, 0) / all.length;
}

function wideLines(markdown: string): readonly ProseProblem[] {
  let isCode = false;
  return markdown.split('\n').flatMap((line, index) => {
    if (/^\s*(```|~~~)/.test(line)) {
      isCode = !isCode;
      return [];
    }
    const mayBeWide = isCode || line.startsWith('|') || /https?:|\]\(/.test(line) || /^\s*<!--/.test(line);
    return mayBeWide || line.length <= MOST_COLUMNS ? [] : [{ line: index + 1, text: `has ${line.length} columns` }];
  });
}

function badSentences(markdown: string): readonly ProseProblem[] {
  return sentencesOf(markdown).flatMap(({ line, text, words }) => {
    const begins = /^["'(]?(What|Who|Whoever|Whether)\b/.test(text) && !text.endsWith('?');
    return [
      ...(words > MOST_WORDS ? [{ line, text: `has a sentence of ${words} words: ${short(text)}` }] : []),
      ...(begins ? [{ line, text: `begins a sentence with its question word: ${short(text)}` }] : []),
    ];
  });
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
