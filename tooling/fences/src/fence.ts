/** A block of code in a Markdown file. */
export interface Fence {
  /** The path from the repository's root. */
  readonly file: string;
  /** The number of its first line of code, from 1. */
  readonly line: number;
  /** The text after the three marks, which may be empty. */
  readonly language: string;
  readonly code: string;
}

/** All blocks of code of a Markdown file, in order. */
export function fencesOf(file: string, markdown: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open:
    | { readonly indent: string; readonly marks: string; readonly language: string; readonly at: number }
    | undefined;
  const lines = markdown.split('\n');
  for (const [index, line] of lines.entries()) {
    const [, indent = '', marks = '', language = ''] = /^(\s*)(`{3,})\s*(\S*)/.exec(line) ?? [];
    if (marks === '') continue;
    if (open === undefined) {
      open = { indent, marks, language, at: index + 1 };
    } else if (marks.length >= open.marks.length && language === '') {
      const { indent: margin, language: named, at } = open;
      const code = lines.slice(at, index).map((text) => (text.startsWith(margin) ? text.slice(margin.length) : text));
      fences.push({ file, line: at + 1, language: named, code: code.join('\n') });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.at}: the block of code has no end`);
  return fences;
}

/** True if it is a program: TypeScript or JavaScript. */
export function isProgram({ language }: Fence): boolean {
  return language === 'ts' || language === 'js';
}

/** The first line that is neither empty nor a part of an import. It identifies a fence. */
export function beginningOf({ code }: Fence): string {
  const body = code.replaceAll(/^import\s[^;]*;[^\n]*$/gm, '').trim();
  return body.split('\n')[0] ?? '';
}

/** The packages that a program imports, each once. */
export function packagesOf({ code }: Fence): readonly string[] {
  const specifiers = [...code.matchAll(/^(?:import|export)\s(?:[^;]*?\sfrom\s+)?'([^'.][^']*)'/gm)].map(
    ([, name = '']) => name,
  );
  const packages = specifiers
    .filter((name) => !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(packages)];
}
