import type { Token } from 'markdown-it';
import { markdownTokens } from './markdown.ts';

/**
 * A sentence of a Markdown document without its markup, and the line at which it begins, from 1.
 */
export interface Sentence {
  readonly line: number;
  readonly text: string;
  readonly words: number;
}

interface Paragraph {
  readonly line: number;
  readonly text: string;
}

/**
 * The sentences of a document's paragraphs and list items. Headings, tables, code and comments have
 * none.
 */
export function sentencesOf(markdown: string): readonly Sentence[] {
  return paragraphsOf(markdown).flatMap(({ line, text }) =>
    text
      .split(/(?<=[.!?:;]["')\]]*)\s+(?=["'([]?[A-Z`*])/)
      .map((part) => part.trim())
      .filter((part) => /\p{L}/u.test(part))
      .map((part) => ({
        line,
        text: part,
        words: part.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
      })),
  );
}

function paragraphsOf(markdown: string): readonly Paragraph[] {
  const tokens = markdownTokens(markdown);
  return tokens.flatMap(({ children, map }, index) => {
    if (tokens[index - 1]?.type !== 'paragraph_open' || children === null || map === null) return [];
    let line = map[0] + 1;
    // An option of a usage text is a separate line.
    return plainText(children)
      .split(/\n(?=--\w)/)
      .map((text) => {
        const paragraph = { line, text: text.replaceAll('\n', ' ') };
        line += text.split('\n').length;
        return paragraph;
      });
  });
}

/** The text as a reader hears it. A link is its words, and code is one word. */
function plainText(parts: readonly Token[]): string {
  return parts
    .map(({ type, content }) => {
      if (type === 'code_inline') return '`code`';
      if (type === 'softbreak' || type === 'hardbreak') return '\n';
      return type === 'html_inline' ? '' : content.replaceAll(/https?:\S+/g, 'link');
    })
    .join('');
}
