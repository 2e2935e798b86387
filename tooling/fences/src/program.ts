import { parse } from 'acorn';
import { transformSync } from 'esbuild';
import { beginningOf, isProgram, type Fence } from './fence.ts';
import type { FenceRow } from './fence-table.ts';
import { contexts } from './contexts.ts';

/** A program of a Markdown file, as it is checked and run. */
export interface Program {
  readonly fence: Fence;
  readonly row: FenceRow | undefined;
  /** Without a folder: `012-readme.ts`. */
  readonly name: string;
  readonly text: string;
  /** Lines of `text` before those of the fence. */
  readonly before: number;
}

/** The programs among the fences, with the context from their rows. */
export function programsOf(fences: readonly Fence[], table: readonly FenceRow[]): readonly Program[] {
  const programs: Program[] = [];
  for (const fence of fences.filter(isProgram)) {
    const begins = beginningOf(fence);
    const row = table.find((one) => one.file === fence.file && one.begins === begins);
    const previous = row?.continues === true ? programs.findLast((one) => one.fence.file === fence.file) : undefined;
    const head = [
      ...(previous === undefined ? [] : [previous.text]),
      ...(row?.context === undefined ? [] : [contexts[row.context]]),
    ];
    const before = head.map((text) => `${text.trim()}\n`).join('');
    const number = String(programs.length + 1).padStart(3, '0');
    const stem = fence.file
      .replace(/\.md$/, '')
      .replaceAll(/[^A-Za-z0-9]+/g, '-')
      .toLowerCase();
    programs.push({
      fence,
      row,
      name: `${number}-${stem}.${fence.language === 'js' ? 'mjs' : 'ts'}`,
      text: `${before}${fence.code}\n`,
      before: before.split('\n').length - 1,
    });
  }
  return programs;
}

/** The rows that no program uses. */
export function staleRows(fences: readonly Fence[], table: readonly FenceRow[]): readonly FenceRow[] {
  return table.filter(
    (row) => !fences.some((fence) => isProgram(fence) && fence.file === row.file && beginningOf(fence) === row.begins),
  );
}

/**
 * The oldest Node that the packages promise knows this edition of the language, and no later one.
 */
const EDITION = 2024;

/**
 * The JavaScript of a program: TypeScript without its types, and nothing else changed.
 *
 * @throws SyntaxError where the oldest Node that is promised would not take it, such as for `await
 *   using`.
 */
export function javascriptOf(text: string, language: string): string {
  const code =
    language === 'js'
      ? text
      : transformSync(text, {
          loader: 'ts',
          target: 'esnext',
          tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
        }).code;
  parse(code, { ecmaVersion: EDITION, sourceType: 'module' });
  return code;
}
