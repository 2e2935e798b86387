import { parseSync, Visitor, type Comment, type Expression } from 'oxc-parser';

export type CodeTextKind = 'tsdoc' | 'comment' | 'title' | 'message';

/**
 * A text in a source file that people read: a comment, a test's title, or a message of the program.
 */
export interface CodeText {
  readonly kind: CodeTextKind;
  /** The line at which it begins, from 1. */
  readonly line: number;
  /** Its range in the source, with the comment's marks but without a string's quotes. */
  readonly start: number;
  readonly end: number;
  /** The text as Markdown, without a comment's marks, and with `code` for a template's values. */
  readonly text: string;
}

/**
 * The comments of a source file, the titles of its tests, and the strings that read as messages.
 */
export function codeTexts(path: string, source: string): readonly CodeText[] {
  const { program, comments } = parseSync(path, source);
  const lineOf = lineFinder(source);
  const found: CodeText[] = blocksOf(comments, source).map(({ kind, start, end }) => ({
    kind,
    start,
    end,
    line: lineOf(start),
    text: commentWords(source.slice(start, end)),
  }));
  const titles = new Set<number>();
  const isTest = /(^|\/)test\//.test(path);
  const add = (kind: CodeTextKind, node: { start: number; end: number }): void => {
    const [start, end] = [node.start + 1, node.end - 1];
    found.push({ kind, start, end, line: lineOf(start), text: stringWords(source.slice(start, end)) });
  };
  new Visitor({
    CallExpression(node) {
      const [title] = node.arguments;
      if (title === undefined || !isTest || !/^(it|test|describe)$/.test(rootName(node.callee) ?? '')) return;
      const isText = title.type === 'TemplateLiteral' || (title.type === 'Literal' && typeof title.value === 'string');
      if (!isText) return;
      titles.add(title.start);
      add('title', title);
    },
    Literal(node) {
      if (typeof node.value === 'string' && !isTest && isMessage(node.value)) add('message', node);
    },
    TemplateLiteral(node) {
      const words = stringWords(source.slice(node.start + 1, node.end - 1));
      if (!isTest && isMessage(words)) add('message', node);
    },
  }).visit(program);
  return found
    .filter(({ kind, start }) => kind !== 'message' || !titles.has(start - 1))
    .toSorted((a, b) => a.start - b.start);
}

interface Block {
  readonly kind: CodeTextKind;
  readonly start: number;
  readonly end: number;
}

/** The comments, without directives for tools. Adjacent line comments are one comment. */
function blocksOf(comments: readonly Comment[], source: string): readonly Block[] {
  const found: Block[] = [];
  for (const { type, value, start, end } of comments) {
    if (/^[/#]?\s*(<reference|oxlint-|eslint-|@ts-|@vitest|[#@]__|v8 ignore|@__|!|sourceMapping)/.test(value)) continue;
    const before = found.at(-1);
    const joins = type === 'Line' && before?.kind === 'comment' && isOnOwnLine(source, before.start);
    if (joins && /^\n[ \t]*$/.test(source.slice(before.end, start)) && source.startsWith('//', before.start)) {
      found[found.length - 1] = { ...before, end };
    } else found.push({ kind: type === 'Block' && value.startsWith('*') ? 'tsdoc' : 'comment', start, end });
  }
  return found;
}

function isOnOwnLine(source: string, start: number): boolean {
  return source.slice(source.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
}

function commentWords(comment: string): string {
  const lines = comment.startsWith('//')
    ? comment.split('\n').map((line) => line.trim().replace(/^\/\/ ?/, ''))
    : comment
        .replace(/^\/\*\*?/, '')
        .replace(/\*\/$/, '')
        .split('\n')
        .map((line) => line.replace(/^\s*\* ?/, ''));
  return (
    lines
      .join('\n')
      // An example is code, up to the next tag.
      .replaceAll(/^[ \t]*@example\b[^]*?(?=^[ \t]*@|$(?![^]))/gm, (text) => text.replaceAll(/[^\n]/g, ''))
      .replaceAll(/^\s*@(throws|see|param|returns|default|internal|remarks|typeParam|deprecated)\b\s*/gm, '\n\n')
      .replaceAll(/\{@link\s+[^}]*\}/g, '`code`')
      .trim()
  );
}

function stringWords(text: string): string {
  let words = '';
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (depth === 0 && text.startsWith('${', index)) {
      depth = 1;
      index++;
      words += '`code`';
    } else if (depth > 0) depth += text[index] === '{' ? 1 : text[index] === '}' ? -1 : 0;
    else words += text[index];
  }
  return words.replaceAll(/\\(['"`])/g, '$1').replaceAll(/\\n/g, '\n');
}

/** True if a text has several words in a row and no signs of code. */
function isMessage(text: string): boolean {
  if (/[;{}=]|=>|^\s*\/\/|\b(const|let|return|function|void|var<|ld\.|st\.)\b/.test(text)) return false;
  const words = text.split(/\s+/).filter((word) => /^["'(]?[A-Za-z][a-z-]*['")]?[,.:;]?$/.test(word));
  return words.length >= 4;
}

function rootName(callee: Expression): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return rootName(callee.object);
  if (callee.type === 'CallExpression') return rootName(callee.callee);
  return undefined;
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? Infinity) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
