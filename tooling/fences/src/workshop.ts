import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FenceProgram } from './program.ts';

const compilerOptions = {
  target: 'es2022',
  lib: ['es2023', 'esnext.disposable'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowJs: true,
  checkJs: true,
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  // Only types that Node itself can strip.
  erasableSyntaxOnly: true,
};

/**
 * A folder outside the repository in which programs are checked and run. It resolves packages as a
 * user's project does.
 */
export class Workshop implements Disposable {
  readonly folder: string;

  constructor(programs: readonly FenceProgram[]) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'nccl-ts-fences-')));
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(this.folder, 'node_modules'), 'junction');
    this.write('package.json', '{ "type": "module" }\n');
    for (const { name, text, row } of programs) {
      this.write(name, text);
      if (row?.savedAs !== undefined) this.write(row.savedAs, text);
    }
    const files = programs.map(({ name }) => name);
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
