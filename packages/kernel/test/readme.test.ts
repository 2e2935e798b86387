import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the README names every built-in', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const declared = readFileSync(join(import.meta.dirname, '../src/author/builtins.ts'), 'utf8');
  const context = declared.slice(declared.indexOf('export interface Builtins'));
  const names = [...context.matchAll(/^ {2}(?:readonly )?(\w+)[:(]/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([]);
});
