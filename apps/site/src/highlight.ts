import { createRequire } from 'node:module';
import { own } from './folders.ts';

const require = createRequire(`${own}/package.json`);

interface Highlight {
  readonly highlightCode: (
    code: string,
    tree: unknown,
    highlighter: unknown,
    putText: (text: string, classes: string) => void,
    putBreak: () => void,
  ) => void;
  readonly classHighlighter: unknown;
}
interface Language {
  readonly parser: { configure(options: object): { parse(text: string): unknown } };
}

/** Code as HTML, with classes for its tokens. Only programs are highlighted. */
export function highlighted(code: string, language: string): string {
  if (!['ts', 'js', 'typescript', 'javascript', 'cpp', 'cu', 'cuda'].includes(language)) return escapeHtml(code);
  const { highlightCode, classHighlighter } = require('@lezer/highlight') as Highlight;
  const { parser } = require('@lezer/javascript') as Language;
  const tree = parser.configure({ dialect: 'ts' }).parse(code);
  let html = '';
  highlightCode(
    code,
    tree,
    classHighlighter,
    (text, classes) => {
      html += classes === '' ? escapeHtml(text) : `<span class="${classes}">${escapeHtml(text)}</span>`;
    },
    () => {
      html += '\n';
    },
  );
  return html;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
