import { parse } from 'acorn';
import { transformSync } from 'esbuild';
import { beginningOf, isProgram, type Fence } from './fence.ts';
import type { FenceRow } from './fence-table.ts';
import { contexts } from './contexts.ts';

/** A program of a Markdown file, in the form in which it is checked and run. */
export interface FenceProgram {
  readonly fence: Fence;
  readonly row: FenceRow | undefined;
  /** The file name without a folder: `012-readme.ts`. */
  readonly name: string;
  readonly text: string;
  /** The number of lines of `text` before those of the fence. */
  readonly before: number;
}

/** The programs among the fences, with the context from their rows. */
export function programsOf(fences: readonly Fence[], table: readonly FenceRow[]): readonly FenceProgram[] {
  const programs: FenceProgram[] = [];
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

/** The latest edition of the language that the oldest supported Node knows. */
const EDITION = 2024;

/**
 * The JavaScript of a program, which is the TypeScript without its types.
 *
 * @throws SyntaxError if the oldest supported Node rejects it, such as for `await using`.
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
