import { codeTexts } from './code-texts.ts';
import { markdownTokens } from './markdown.ts';
import { sentencesOf, type Sentence } from './sentences.ts';

export const MOST_COLUMNS = 100;
export const MOST_WORDS = 40;

export interface ProseProblem {
  readonly line: number;
  readonly text: string;
}

/** Reports the breaches of the style page that a program can see in a document. */
export function proseProblems(markdown: string): readonly ProseProblem[] {
  return [...wideLines(markdown), ...badSentences(sentencesOf(markdown))].toSorted((a, b) => a.line - b.line);
}

/** Reports the same breaches in the comments, titles and messages of a source file. */
export function codeProblems(path: string, source: string): readonly ProseProblem[] {
  const texts = codeTexts(path, source);
  const wide = texts
    .filter(({ kind }) => kind === 'tsdoc' || kind === 'comment')
    .flatMap(({ line, start, end }) => wideComments(source, line, start, end));
  const tags = texts
    .filter(({ kind }) => kind === 'tsdoc')
    .flatMap(({ line, start, end }) => misplacedTags(source.slice(start, end), line));
  const bad = texts.flatMap((text) => badSentences(sentencesInCode(text)));
  return [...wide, ...tags, ...bad].toSorted((a, b) => a.line - b.line);
}

/** The sentences of a text in a source file, with lines of that file. */
export function sentencesInCode({ text, line }: { text: string; line: number }): readonly Sentence[] {
  return sentencesOf(text).map((sentence) => ({ ...sentence, line: line + sentence.line - 1 }));
}

/** The mean length of sentences in words, or `undefined` if there are none. */
export function meanWords(sentences: readonly Sentence[]): number | undefined {
  return sentences.length === 0 ? undefined : sentences.reduce((sum, { words }) => sum + words, 0) / sentences.length;
}

/** Blocks whose lines cannot be wrapped. */
const unwrapped: ReadonlySet<string> = new Set(['fence', 'code_block', 'table_open', 'html_block']);

function wideLines(markdown: string): readonly ProseProblem[] {
  const blocks = markdownTokens(markdown).filter(({ type }) => unwrapped.has(type));
  return markdown.split('\n').flatMap((line, index) => {
    const isUnwrapped = blocks.some(({ map }) => map !== null && map[0] <= index && index < map[1]);
    const mayBeWide = isUnwrapped || /https?:|\]\(/.test(line);
    return mayBeWide || line.length <= MOST_COLUMNS ? [] : [{ line: index + 1, text: `has ${line.length} columns` }];
  });
}

/** Reports wide comments. A comment after code may be as wide as code. */
function wideComments(source: string, line: number, start: number, end: number): readonly ProseProblem[] {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  if (source.slice(lineStart, start).trim() !== '') return [];
  return source
    .slice(lineStart, end)
    .split('\n')
    .flatMap((text, index) =>
      text.length <= MOST_COLUMNS || /https?:/.test(text)
        ? []
        : [{ line: line + index, text: `has a comment of ${text.length} columns` }],
    );
}

/**
 * Reports tags that do not begin a line, except in a comment of one line, and tags whose text begins
 * on the next line. They read as a part of the sentence before, or lose their text when it moves.
 */
function misplacedTags(comment: string, firstLine: number): readonly ProseProblem[] {
  const lines = comment.split('\n');
  return lines.flatMap((text, index) => {
    const words = text.replaceAll(/`[^`]*`|\{@[^}]*\}/g, 'code').replace(/\*\/$/, '');
    const [, glued] =
      /[^\s*/]\s+(@(?:throws|see|param|typeParam|returns|default|deprecated|remarks|internal))\b/.exec(words) ?? [];
    const [, split] = /(@(?:throws|see|param|typeParam|returns|default))\s*$/.exec(words) ?? [];
    const problems = [
      ...(glued === undefined || lines.length === 1
        ? []
        : [`has ${glued} in the middle of a line: begin a line with it`]),
      ...(split === undefined ? [] : [`ends a line with ${split}: its text belongs on the same line`]),
    ];
    return problems.map((problem) => ({ line: firstLine + index, text: problem }));
  });
}

function badSentences(sentences: readonly Sentence[]): readonly ProseProblem[] {
  return sentences.flatMap(({ line, text, words }) => {
    const begins = /^["'(]?(What|Who|Whoever|Whether|Nobody|None)\b/.test(text) && !text.endsWith('?');
    return [
      ...(words > MOST_WORDS ? [{ line, text: `has a sentence of ${words} words: ${short(text)}` }] : []),
      ...(begins ? [{ line, text: `begins a sentence with ${text.split(' ')[0] ?? ''}: ${short(text)}` }] : []),
    ];
  });
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
