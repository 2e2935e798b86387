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
  // Front matter lists packages. Its lines are kept but emptied, so that later line numbers stay
  // right.
  const body = markdown.replace(/^---\n(?:.*\n)*?---\n/, (lines) => lines.replaceAll(/.+/g, ''));
  return paragraphsOf(body).flatMap(({ line, text }) =>
    plainText(text)
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

/** The lines of prose, in runs that end at blank lines, list items, headings, tables and code. */
function paragraphsOf(markdown: string): readonly Paragraph[] {
  const found: Paragraph[] = [];
  let open: { line: number; parts: string[] } | undefined;
  let fence: string | undefined;
  const end = (): void => {
    if (open !== undefined) found.push({ line: open.line, text: open.parts.join(' ') });
    open = undefined;
  };
  for (const [index, line] of markdown
    .replaceAll(/<!--[\s\S]*?-->/g, (text) => text.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || line.trim() === fence)) {
      end();
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined) continue;
    if (isProse(line)) {
      const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
      // An option of a usage text is a separate line.
      if (item !== undefined || /^\s+--\w/.test(line)) end();
      open ??= { line: index + 1, parts: [] };
      open.parts.push(item ?? line.trim());
    } else end();
  }
  end();
  return found;
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !/^\s*(#|\||<|---|\[[^\]]+\]:)/.test(line);
}

/** The text as a reader hears it. A link is its words, and code is one word. */
function plainText(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, '`code`')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
    .replaceAll(/https?:\S+/g, 'link');
}
