import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { checkCommands, commandLines } from '../src/check-commands.ts';
import { checkTypes } from '../src/check-types.ts';
import { beginningOf, fencesOf, packagesOf } from '../src/fence.ts';
import { programsOf, staleRows } from '../src/program.ts';
import { runPrograms } from '../src/run-programs.ts';
import { Workshop } from '../src/workshop.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const root = join(import.meta.dirname, '../../..');

function markdown(...codes: readonly string[]): string {
  return codes.map((code) => `Some words.\n\n\`\`\`ts\n${code}\n\`\`\`\n`).join('\n');
}

test('an error is reported at the line of the Markdown file', () => {
  const texts = [
    "import { numberToBf16 } from '@nccl-ts/core';\n\nnumberToBf16('one');",
    'await using nothing = undefined;',
    "throw new Error('on purpose');",
    "console.log('seen');",
  ];
  const programs = programsOf(fencesOf('README.md', markdown(...texts)), [
    { file: 'README.md', begins: "console.log('seen');", prints: 'hidden' },
  ]);
  using workshop = new Workshop(programs);
  expect(checkTypes(programs, workshop)).toEqual([
    { file: 'README.md', line: 6, message: expect.stringContaining('TS2345') },
  ]);
  expect(runPrograms(programs, workshop).map(({ line, message }) => `${line}: ${message.split('\n')[0]}`)).toEqual([
    '12: the oldest supported Node rejects it: SyntaxError: Unexpected token (1:12)',
    '18: Error: on purpose',
    '24: prints "seen", and not "hidden"',
  ]);
});

test.for(slow)('a program that continues another one starts with its lines', () => {
  const fences = fencesOf('a.md', markdown('const a: number = 1;', 'console.log(a + 1);'));
  const programs = programsOf(fences, [{ file: 'a.md', begins: 'console.log(a + 1);', continues: true, prints: '2' }]);
  using workshop = new Workshop(programs);
  expect(checkTypes(programs, workshop)).toEqual([]);
  expect(runPrograms(programs, workshop)).toEqual([]);
});

test('a table row without a program is reported', () => {
  const row = { file: 'a.md', begins: 'const b = 1;' };
  expect(staleRows(fencesOf('a.md', markdown('const a = 1;')), [row])).toEqual([row]);
});

test.for(slow)('an unknown command or option of nccl-ts is reported', () => {
  const listing =
    '```\n$ nccl-ts chekc a.ts\n$ npx nccl-ts check a.ts --rnaks 4 -n 2 -- -I include\nnccl-ts: words\n```\n';
  expect(checkCommands(root, fencesOf('a.md', listing))).toEqual([
    { file: 'a.md', line: 2, message: 'nccl-ts has no command chekc' },
    { file: 'a.md', line: 3, message: 'nccl-ts check has no option --rnaks' },
  ]);
});

test('the blocks, programs and packages of a page are found', () => {
  const text = '1. One\n\n   ```sh\n   npm install a\n   ```\n\n````md\n```ts\n```\n````\n';
  expect(fencesOf('a.md', text)).toEqual([
    { file: 'a.md', line: 4, language: 'sh', code: 'npm install a' },
    { file: 'a.md', line: 8, language: 'md', code: '```ts\n```' },
  ]);
  const [fence] = fencesOf(
    'a.md',
    markdown(
      "import {\n  a,\n} from '@nccl-ts/a/b';\nimport 'node:fs';\nimport { c } from './c.ts';\n\nexport const d = a;",
    ),
  );
  expect(fence && packagesOf(fence)).toEqual(['@nccl-ts/a']);
  expect(fence && beginningOf(fence)).toBe('export const d = a;');
  expect(() => fencesOf('a.md', '```ts\n')).toThrow('a.md:1: the block of code has no end');
  expect(commandLines(fencesOf('a.md', '```\nnccl-ts run FILE [options]     a kernel --odd\n```\n'))).toEqual([
    { file: 'a.md', line: 2, words: ['run', 'FILE', '[options]'] },
  ]);
});
