import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { followGuide, shows, type GuideFolder, type GuideOutcome } from '../src/guide/follow-guide.ts';
import { guideSteps } from '../src/guide/guide-steps.ts';
import { LinkedFolder } from '../src/guide/linked-folder.ts';

const timeout = 120_000;
const root = join(import.meta.dirname, '../../..');

/** Pages with a separate test, which provides a compiler, a compiled kernel, or Python. */
const elsewhere = [
  'check-a-cuda-kernel.md',
  'check-a-gin-kernel.md',
  'check-a-triton-kernel.md',
  'check-from-python.md',
];

const guides = ['tutorial', 'how-to', 'explanation'].flatMap((folder) =>
  readdirSync(join(root, 'docs', folder))
    .filter((name) => name.endsWith('.md') && !elsewhere.includes(name))
    .map((name) => `docs/${folder}/${name}`),
);

/** The quick tests follow one. */
const followed = guides.filter((name) => name.endsWith('use-the-best-backend.md') !== inject('slow'));

describe.skipIf(process.platform === 'win32')(
  'guides, followed word for word in a fresh folder (a POSIX shell)',
  () => {
    test.each(followed)('%s: every command prints the output that the page shows', { timeout }, async (file) => {
      using folder = new LinkedFolder('guide');
      const { problems } = await followGuide(file, readFileSync(join(root, file), 'utf8'), folder);
      expect(problems).toEqual([]);
    });
  },
);

const page = `Install it:

\`\`\`sh
npm install --save-dev a @b/c
\`\`\`

Save this as \`x.js\`:

\`\`\`js
one
two
\`\`\`

Change it:

\`\`\`diff
-one
+1
 two
\`\`\`

<!-- guide: exit 3 -->

\`\`\`sh
first
second
\`\`\`

\`\`\`text
done in 5 ms
...
end
\`\`\`

<!-- guide: not run, because it needs a GPU -->

\`\`\`sh
third
\`\`\`
`;

test("a guide's steps are its installations, files, edits, commands and outputs", () => {
  expect(guideSteps('a.md', page)).toMatchObject([
    { kind: 'install', packages: ['a', '@b/c'] },
    { kind: 'write', file: 'x.js', text: 'one\ntwo\n' },
    { kind: 'edit', file: undefined, hunk: { before: 'one\ntwo\n', after: '1\ntwo\n' } },
    { kind: 'run', command: 'first', exit: 0 },
    { kind: 'run', command: 'second', exit: 3 },
    { kind: 'expect', text: 'done in 5 ms\n...\nend' },
    { kind: 'leave out', because: 'it needs a GPU' },
  ]);
});

test('each step that does not behave as the page says is reported at its line', async () => {
  const path = mkdtempSync(join(tmpdir(), 'nccl-ts-guide-test-'));
  const folder: GuideFolder = {
    path,
    install: ([first = '']): GuideOutcome => ({ code: 1, output: `no ${first}` }),
    shell: (command): GuideOutcome => {
      if (command === 'first') writeFileSync(join(path, 'x.js'), `${readFileSync(join(path, 'x.js'), 'utf8')}three\n`);
      return { code: command === 'first' ? 1 : 3, output: 'done in 7 ms\nnever\n' };
    },
  };
  const { problems, commands, leftOut } = await followGuide('a.md', page.replace('-one', '-uno'), folder);
  rmSync(path, { recursive: true });
  expect(problems.map(({ line, message }) => `${line}: ${message.split('\n')[0]}`)).toEqual([
    '4: cannot install a @b/c: no a',
    '17: the file that it edits has no such lines, or has them several times',
    '25: first exits with 1, not with 0: done in 7 ms',
    '30: the command before it prints:',
  ]);
  expect([commands, leftOut]).toEqual([3, ['it needs a GPU']]);
});

test('outputs are compared without durations, and three dots match any lines', () => {
  expect(shows('a\nb in 12 ms\nc\nd\n', 'b in 5.5 s\n...\nd')).toBe(true);
  expect(shows('a\nb\nc\n', 'c\n...\nb')).toBe(false);
  expect(shows('a\nb\nc\n', 'a\nc')).toBe(false);
});
