import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { lintText } from './support/lint-text.ts';

const root = resolve(import.meta.dirname, '../../..');

/** Programs that are wrong on purpose. */
const wrong: readonly string[] = [
  'packages/conformance/src/cases/windows/refusals.ts',
  'tooling/capture-matrix/src/kernels/broken.ts',
];

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (/^(?:node_modules|dist|fixtures|snapshots|test)$/.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.[mc]?[tj]s$/.test(entry.name)) yield path;
  }
}

interface Program {
  readonly file: string;
  readonly path: string;
  readonly text: string;
}

const all: readonly Program[] = ['packages', 'apps', 'tooling']
  .flatMap((folder) => [...sources(join(root, folder))])
  .map((path) => ({ file: relative(root, path), path, text: readFileSync(path, 'utf8') }))
  .filter(({ text }) => /\bkernel\s*\(|\.launch\s*\(/.test(text));
const isQuick = (_: Program, index: number): boolean => index % 40 === 0;
const programs = all.filter((program, index) => isQuick(program, index) !== inject('slow'));

describe('the rules', () => {
  it('find all programs of this repository', () => {
    expect(all.length).toBeGreaterThan(250);
  });

  it.for(programs)('report nothing in $file that is right', ({ file, path, text }) => {
    expect(lintText(text, path).length > 0).toBe(wrong.includes(file));
  });

  it.for(programs)('report nothing in $file if an import cannot be read', ({ path, text, file }) => {
    if (wrong.includes(file)) return;
    const sourcesOfImports = [...text.matchAll(/from '([^']+)';/g)].map(([line]) => line);
    for (const line of new Set(sourcesOfImports)) {
      if (line.includes('@nccl-ts/kernel')) continue;
      const found = lintText(text.replace(line, "from 'elsewhere';"), path);
      expect([line, ...found]).toEqual([line]);
    }
  });
});
