import { markdownTokens } from '@nccl-ts/prose';

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
  return markdownTokens(markdown).flatMap(({ type, info, content, map }) => {
    if (type !== 'fence' || map === null) return [];
    const [from, to] = map;
    // The parser ends an open block at the end of the text around it.
    const isClosed = to - from === content.split('\n').length + 1;
    if (!isClosed) throw new Error(`${file}:${from + 1}: the block of code has no end`);
    const [language = ''] = info.trim().split(/\s+/);
    return [{ file, line: from + 2, language, code: content.replace(/\n$/, '') }];
  });
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
