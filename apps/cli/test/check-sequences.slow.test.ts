import { beforeAll, describe, test } from 'vitest';
import { build, served } from './support/command.ts';
import './check-sequences.test.ts';

// The machine may be busy.
const timeout = 240_000;

describe('check runs sequences of launches', () => {
  beforeAll(build, timeout);

  const clean = /^clean: no findings/m;
  const line = '-n 2 -g 1 -b 4 --bytes 8K';

  const sequences: readonly (readonly [string, string, number, readonly (string | RegExp)[]])[] = [
    ['one launch is right', `noEntry ${line} --sequence once`, 0, [clean]],
    [
      'a second launch races with a peer that is behind',
      `noEntry ${line}`,
      1,
      [
        /^ {2}once \(one launch\): clean; /m,
        /^ {2}repeat \(3 consecutive launches on one stream\): race; /m,
        /^ += kernel: noEntry\n += sequence: repeat: 3 consecutive launches on one stream$/m,
        /, launch [1-3] of 3\n.*, launch [1-3] of 3\n.* += launches: launch ([1-3]) of 3 on rank \d races with launch (?!\1)[1-3] of 3 on rank \d: /s,
      ],
    ],
    ['launches of one size are right', `stale -n 1 -g 1 -b 4 -a count=8 --sequence once,repeat`, 0, [clean]],
    [
      'a smaller launch meets what a larger one has left',
      `stale -n 1 -g 1 -b 4 -a count=8`,
      1,
      [
        /^ {2}repeat .*: clean; /m,
        /^error\[fault\]: assertion failed: there is more/m,
        /^ += sequence: sizes: 3 consecutive launches on one stream, with count 8, 4, 8$/m,
      ],
    ],
    ['counters from 0 on are right', `counts -n 1 -g 1 -b 1 --sequence repeat`, 0, [clean]],
    ['a counter of 31 bits does not', `counts -n 1 -g 1 -b 1 --wrap 31 --wrap-window ticks`, 0, [clean]],
    ['epochs of barriers start at 0', `epochs ${line} -a epoch=0 --sequence once`, 0, [clean]],
    ['epochs of barriers start near 2^16', `epochs ${line} -a epoch=65534 --sequence once --wrap 16`, 0, [clean]],
    ['epochs of barriers start near 2^32', `epochs ${line} -a epoch=4294967294 --sequence once --wrap 32`, 0, [clean]],
    [
      'epochs of barriers start nowhere else',
      `epochs ${line} -a epoch=0 --sequence once --wrap 31`,
      1,
      ['assertion failed: another epoch'],
    ],
  ];

  test.concurrent.for(sequences)(
    'check runs sequences of launches: %s',
    { timeout },
    async ([, words, code, pieces], { expect }) => {
      const outcome = await served(['check', 'launches.ts', ...words.split(' ')]);
      for (const piece of pieces) expect(outcome.stdout).toMatch(piece);
      expect(outcome).toMatchObject({ code, stderr: '' });
    },
  );

  test.concurrent('runs two streams only on request', { timeout }, async ({ expect }) => {
    const words = ['check', 'hands.ts', 'hands', '-n', '2', '-g', '1', '-b', '4', '--arg', 'count=4'];
    const asked = await served([...words, '--sequence', 'streams']);
    expect(asked.stdout).toMatch(
      /^ {2}streams \(2 concurrent launches, on two streams with one device communicator\): /m,
    );
    expect(asked.stdout).toMatch(/^error\[/m);
    expect(asked.code).toBe(1);
    const usual = await served(words);
    expect(usual.stdout).not.toContain('streams');
    expect(usual.code).toBe(0);
  });

  test.concurrent('keeps the sequence in a smaller launch', { timeout }, async ({ expect }) => {
    const { stdout } = await served([
      'check',
      'launches.ts',
      'noEntry',
      '-n',
      '3',
      '-g',
      '2',
      '-b',
      '8',
      '--strategy',
      'late',
      '--shrink',
    ]);
    const command = /^ {2}nccl-ts (check launches\.ts noEntry .*)$/m.exec(stdout)?.[1] ?? '';
    expect(command).toContain('--ranks 2 --grid 1 --block 1 --sequence repeat');
    const again = await served(command.split(' '));
    expect(again.stdout).toContain('\n   = sequence: repeat: ');
    expect(again.code).toBe(1);
  });
});
