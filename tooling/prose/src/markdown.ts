import MarkdownIt, { type Token } from 'markdown-it';

const parser = new MarkdownIt({ html: true });

/**
 * The blocks and inline parts of a Markdown text, with their lines from 0. Front matter is no part
 * of it, but its lines count.
 */
export function markdownTokens(text: string): readonly Token[] {
  return parser.parse(
    text.replace(/^---\n(?:.*\n)*?---\n/, (lines) => lines.replaceAll(/.+/g, '')),
    {},
  );
}
