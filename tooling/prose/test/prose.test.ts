import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isWritten, markdownFiles } from '../src/markdown-files.ts';
import { root } from '../src/repository-files.ts';
import { codeTexts } from '../src/code-texts.ts';
import { codeProblems, proseProblems } from '../src/prose-problems.ts';
import type { FileWords } from '../src/repository-texts.ts';
import { sampleSentences } from '../src/sample.ts';
import { sentencesOf } from '../src/sentences.ts';

const long = `${Array.from({ length: 41 }, () => 'word').join(' ')}.`;

describe('the check of Markdown', () => {
  test.each<[string, string, readonly string[]]>([
    ['a wide line', 'x'.repeat(101), ['has 101 columns']],
    [
      'a wide table, fence or link',
      `| a |\n| - |\n| ${'x'.repeat(101)} |\n\n\`\`\`\n${'x'.repeat(101)}\n\`\`\`\n\n[a](${'b'.repeat(101)})`,
      [],
    ],
    [
      'a long sentence over several lines',
      long.replaceAll(' word word', ' word\nword'),
      [`has a sentence of 41 words: ${long.slice(0, 60)}…`],
    ],
    [
      'a sentence that begins with Whoever',
      'It ends. Whoever waits is told.',
      ['begins a sentence with Whoever: Whoever waits is told.'],
    ],
    ['a question', 'What does a verdict prove?', []],
    ['code that begins so', '```\nWhat a day.\n```', []],
  ])('reports %s', (_, markdown, problems) => {
    expect(proseProblems(markdown).map(({ text }) => text)).toEqual(problems);
  });

  test('keeps list items apart, and counts code and links as one word', () => {
    const markdown =
      '# Head. Line\n\n- one `a b c` two\n- three [four five](six-seven.md)\n  eight. Nine ten.\n\n| a. B |\n| ---- |\n| C. D |\n';
    expect(sentencesOf(markdown).map(({ line, words }) => [line, words])).toEqual([
      [3, 3],
      [4, 4],
      [4, 2],
    ]);
  });
});

describe('the check of sources', () => {
  test('finds comments, titles and messages, but no directives or code', () => {
    const source = [
      '/** Waits. See {@link x}.',
      ' * @throws NcclError when closed. */',
      '// oxlint-disable-next-line no-console',
      '// One comment',
      '// of two lines.',
      'const a = `cannot open ${name} because it is closed`;',
      "const b = 'const x = y; return x; and so on';",
    ].join('\n');
    expect(codeTexts('a/src/b.ts', source).map(({ kind, line, text }) => [kind, line, text])).toEqual([
      ['tsdoc', 1, 'Waits. See `code`.\n\n\nNcclError when closed.'],
      ['comment', 4, 'One comment\nof two lines.'],
      ['message', 6, 'cannot open `code` because it is closed'],
    ]);
    const example = '/**\n * Opens.\n *\n * @example\n * const a = 1;\n * @see b\n */';
    expect(codeTexts('a/src/b.ts', example).map(({ text }) => text.split(/\n+/))).toEqual([['Opens.', 'b']]);
    const usage = 'the options of it:\n  --one   the first. Second\n  --two   third';
    expect(sentencesOf(usage).map(({ line, words }) => [line, words])).toEqual([
      [1, 4],
      [2, 3],
      [2, 1],
      [3, 2],
    ]);
    const test = "describe('a thing', () => { it.each([1])('adds %s', () => {}); print('a string in a test'); });";
    expect(codeTexts('a/test/b.test.ts', test).map(({ kind, text }) => [kind, text])).toEqual([
      ['title', 'a thing'],
      ['title', 'adds %s'],
    ]);
  });

  test('reports wide comments, long sentences and bad first words at their lines', () => {
    const source = `const a = 1;\n/**\n * ${'x'.repeat(99)}\n * What a call does.\n */\nconst b = 'x'; // ${'y'.repeat(99)}\n// ${long}`;
    expect(codeProblems('a/src/b.ts', source)).toEqual([
      { line: 3, text: 'has a comment of 102 columns' },
      { line: 7, text: 'has a comment of 208 columns' },
      { line: 7, text: `has a sentence of 41 words: ${long.slice(0, 60)}…` },
    ]);
    expect(codeProblems('a/src/b.ts', '/** Nobody waits. */')).toEqual([
      { line: 1, text: 'begins a sentence with Nobody: Nobody waits.' },
    ]);
  });

  test('reports tags of TSDoc in the middle of a line, or without their text at its end', () => {
    const problems = (comment: string): readonly string[] =>
      codeProblems('a/src/b.ts', comment).map(({ line, text }) => `${line}: ${text}`);
    expect(problems('/**\n * Opens it. @throws NcclError if it is closed\n * @see a\n */')).toEqual([
      '2: has @throws in the middle of a line: begin a line with it',
    ]);
    expect(problems('/** Opens it, and returns\n * the handle. @see\n * cudaGraphLaunch */')).toEqual([
      '2: has @see in the middle of a line: begin a line with it',
      '2: ends a line with @see: its text belongs on the same line',
    ]);
    expect(problems('/**\n * Opens it.\n *\n * @default\n * 1\n */')).toEqual([
      '4: ends a line with @default: its text belongs on the same line',
    ]);
    const good =
      '/**\n * Waits as in `a @see b`, {@link x} and @nccl-ts/core.\n *\n * @throws NcclError\n * @internal\n */';
    expect(problems(`${good}\n/** The count. @default 1 */\n// It has a @see tag.`)).toEqual([]);
  });
});

test('front matter has no sentences, and its lines count', () => {
  const text = `---\n${"'a': patch\n".repeat(50)}---\n\nOne sentence.\n`;
  expect(sentencesOf(text)).toEqual([{ line: 54, text: 'One sentence.', words: 2 }]);
});

describe('a sample', () => {
  const texts: readonly FileWords[] = (['document', 'help', 'message', 'tsdoc', 'title', 'comment'] as const).map(
    (source) => ({
      file: source,
      problems: [],
      sentences: Array.from({ length: 50 }, (_, line) => ({ line, text: `Sentence ${line}.`, words: 2, source })),
    }),
  );

  test('is deterministic for a seed, and has no sentence twice', () => {
    const drawn = sampleSentences(texts, 1, 60);
    expect(sampleSentences(texts, 1, 60)).toEqual(drawn);
    expect(sampleSentences(texts, 2, 60)).not.toEqual(drawn);
    expect(new Set(drawn.map(({ file, line }) => `${file}:${line}`)).size).toBe(60);
    for (const source of ['document', 'help', 'message', 'tsdoc', 'title']) {
      expect(drawn.filter((one) => one.source === source)).toHaveLength(12);
    }
  });
});

describe('the Markdown of the repository', () => {
  const texts = markdownFiles()
    .filter(isWritten)
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

  test('has no wide line, no sentence of more than 40 words, and none that begins with What, Who or Whether', () => {
    expect(texts.length).toBeGreaterThan(50);
    const found = texts.flatMap(({ file, text }) =>
      proseProblems(text).map((one) => `${file}:${one.line}: ${one.text}`),
    );
    expect(found).toEqual([]);
  });
});
