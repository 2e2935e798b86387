import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isWritten, markdownFiles, root } from '../src/markdown-files.ts';
import { MEAN_WORDS, meanWords, proseProblems } from '../src/prose-problems.ts';
import { sentencesOf } from '../src/sentences.ts';

const long = `${Array.from({ length: 41 }, () => 'word').join(' ')}.`;

describe('the check of Markdown', () => {
  test.each<[string, string, readonly string[]]>([
    ['a wide line', 'x'.repeat(101), ['has 101 columns']],
    [
      'a wide table, fence or link',
      `| ${'x'.repeat(101)} |\n\n\`\`\`\n${'x'.repeat(101)}\n\`\`\`\n\n[a](${'b'.repeat(101)})`,
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
      ['begins a sentence with its question word: Whoever waits is told.'],
    ],
    ['a question', 'What does a verdict prove?', []],
    ['code that begins so', '```\nWhat a day.\n```', []],
  ])('sees %s as it should', (_, markdown, problems) => {
    expect(proseProblems(markdown).map(({ text }) => text)).toEqual(problems);
  });

  test('takes list items apart, and code and links as one word', () => {
    const markdown =
      '# Head. Line\n\n- one `a b c` two\n- three [four five](six seven.md)\n  eight. Nine ten.\n\n| a. B |\n';
    expect(sentencesOf(markdown).map(({ line, words }) => [line, words])).toEqual([
      [3, 3],
      [4, 4],
      [4, 2],
    ]);
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

  test('has sentences of 15 words on average', () => {
    expect(meanWords(texts.map(({ text }) => text))).toBeLessThanOrEqual(MEAN_WORDS);
  });
});
