import { beforeAll, describe, expect, inject, test } from 'vitest';
import { launchSequence, sequenceNames } from '../src/launch/launch-sequence.ts';
import { build, served } from './support/command.ts';

// The machine may be busy.
const timeout = 240_000;

describe('a sequence', () => {
  const values = (text: string): ReadonlyMap<string, string> =>
    new Map(
      text
        .split(' ')
        .map((word) => word.split('='))
        .map(([name = '', value = '']) => [name, value]),
    );

  test('uses as many streams as it needs', () => {
    const shape = sequenceNames.map((name) =>
      launchSequence(name, values('count=8'), 2)?.launches.map(({ stream }) => stream),
    );
    expect(shape).toEqual([[0], [0, 0, 0], [0, 0, 0], [0, 1]]);
  });

  test.for<readonly [string, number, readonly unknown[] | undefined]>([
    ['count=100 offset=8', 4, [{}, { count: 48 }, {}]],
    ['count=9', 4, [{}, { count: 4 }, {}]],
    ['count=4', 4, [{}, { count: 2 }, {}]],
    ['n=3 nElements=12', 2, [{}, { n: 1, nElements: 6 }, {}]],
    ['count=1', 4, undefined],
    ['offset=8', 4, undefined],
    ['count=true', 4, undefined],
  ])('for several sizes halves the counts in %s, on %i ranks', ([text, ranks, counts]) => {
    expect(launchSequence('sizes', values(text), ranks)?.launches.map((launch) => launch.counts)).toEqual(counts);
  });
});

describe('check runs sequences of launches', () => {
  beforeAll(build, timeout);

  test.concurrent('check runs sequences of launches: a counter comes to its end', { timeout }, async ({ expect }) => {
    const line = 'check launches.ts counts -n 1 -g 1 -b 1 --sequence repeat --wrap 32 --wrap-window ticks';
    const { code, stdout, stderr } = await served(line.split(' '));
    expect(stdout).toMatch(/^counts on 1 rank, .*, counters from 2\^32 - 2 on: /);
    expect(stdout).toMatch(/^error\[fault\]: assertion failed: it went back/m);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  });

  const refused: readonly (readonly [string, RegExp])[] = [
    ['noEntry --sequence sizes', /--sequence sizes: kernel 'noEntry' has no integer argument above 1/],
    [
      'counts --wrap 31',
      /--wrap: kernel 'counts' has no device communicator; name its windows of counters with --wrap-window/,
    ],
    [
      'noEntry --wrap 31 --wrap-window comm',
      /--wrap-window comm: kernel 'noEntry' has no window parameter of that name/,
    ],
  ];

  test.concurrent.for(refused.filter((_, i) => (i % 4 === 0) !== inject('slow')))(
    'refuses %s',
    { timeout },
    async ([words, message], { expect }) => {
      const { code, stderr, stdout } = await served(['check', 'launches.ts', ...words.split(' ')]);
      expect(stderr).toMatch(message);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    },
  );
});
