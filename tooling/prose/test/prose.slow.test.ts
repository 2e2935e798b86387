import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../src/repository-files.ts';
import { codeProblems } from '../src/prose-problems.ts';
import { typescriptFiles } from '../src/typescript-files.ts';

describe('the TypeScript of the repository', () => {
  test('has no wide comment, no long sentence, and none that begins with What, Who, Whether, Nobody or None', () => {
    const files = typescriptFiles();
    expect(files.length).toBeGreaterThan(1000);
    const found = files.flatMap((file) =>
      codeProblems(file, readFileSync(join(root, file), 'utf8')).map((one) => `${file}:${one.line}: ${one.text}`),
    );
    expect(found).toEqual([]);
  });
});
