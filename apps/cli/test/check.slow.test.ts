import { beforeAll, describe, test } from 'vitest';
import { build, served } from './support/command.ts';
import { timeout, launch, small, checks } from './support/run-check.ts';
import './check.test.ts';

beforeAll(build, timeout);

describe('check', () => {
  test.concurrent('uses auto by default, and reports its coverage', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await checks('hands.ts hands', ...launch);
    expect(stdout).toMatch(
      /^hands on 2 ranks, 1 CTA x 4 threads: checked in \d+\.\d s\n {2}once \(one launch\): clean; .*\n {2}repeat \(3 consecutive launches on one stream\): clean; .*\n {2}sizes \(3 consecutive launches on one stream, with count 8, 4, 8\): clean; .*\n\nclean: no findings, /,
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent('names a kernel in the same way as run', { timeout }, async ({ expect }) => {
    const missing = await checks('hands.ts', ...small);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/choose one with --kernel: drops, hands/) });
    const chosen = await checks('hands.ts --kernel hands', ...small);
    expect(chosen.code).toBe(0);
    const two = await checks('hands.ts drops --kernel hands', ...small);
    expect(two).toMatchObject({ code: 2, stderr: expect.stringMatching(/--kernel hands: .* drops/) });
  });

  const least = [
    '--ranks',
    '2',
    '--grid',
    '1',
    '--block',
    '1',
    '--arg',
    'count=1',
    '--bytes',
    '64',
    '--sequence',
    'once',
    '--exhaustive',
  ];

  test.concurrent('explores all schedules, up to a bound', { timeout }, async ({ expect }) => {
    const clean = await checks('hands.ts hands', ...least);
    expect(clean.stdout).toMatch(/^clean: no findings, .*; this holds for every schedule of this input/m);
    expect(clean.code).toBe(0);
    const race = await checks('hands.ts drops', ...least);
    expect(race.stdout).toMatch(/^ += replay: strategy (random|exhaustive)/m);
    expect(race.stdout).toMatch(/^race: .*; every schedule of this input was checked/m);
    expect(race.code).toBe(1);
    const two = [...least, '--grid', '2', '--local'];
    const ways = await checks('hands.ts tickets', ...two);
    expect(ways.stdout).toMatch(/; this holds for every schedule of this input \(\d+ were run/m);
    expect(ways.stdout).not.toContain('(1 was run');
    for (const [bound, why] of [
      ['0', 'one run does not represent all: two writes may occur in either order'],
      ['1', '1 runs'],
    ] as const) {
      const bounded = await checks('hands.ts tickets', ...two, '--bound', bound);
      expect(bounded.stdout).toMatch(/^incomplete: no findings, .*; the check is not complete: /m);
      expect(bounded.stdout).toContain(why);
      expect(bounded.code).toBe(3);
    }
  });

  test.concurrent('shrinks to a smaller launch with the same finding', { timeout }, async ({ expect }) => {
    const { stdout } = await checks(
      'hands.ts drops --ranks 3 --grid 2 --block 8 --arg count=64 --strategy random --schedules 1 --shrink',
    );
    const line = /^ {2}nccl-ts (check hands\.ts drops .*)$/m.exec(stdout)?.[1] ?? '';
    expect(line).toContain('--ranks 2 --grid 1 --block 1 --arg count=1 --sequence once --replay r: --seed 1');
    expect(stdout).toMatch(/^smallest launch .*: 2 ranks, 1 CTA x 1 thread, count 1 \(\d+ runs\)$/m);
    const again = await served(line.split(' '));
    expect(again.stdout).toMatch(/^error\[race\]: /m);
    // A replayed report states how to replay it again.
    expect(again.stdout).toMatch(/^ += replay: strategy replay, seed 1, or choices r:$/m);
    expect(again.code).toBe(1);
  });
});
