import { check, explore } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32, type RankSetup, type Step } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';
import { moduleText } from './support/kernels-as-text.ts';

/*
 * The help for two launches of one rank that run at the same time.
 */

/** Adds 1 to a word, or does nothing with it. */
const adds = (
  name: string,
  before: string,
  behind: string,
  isIdle = false,
): string => `.visible .entry ${name}(.param .u64 word)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [word];
  ${before}
  ${isIdle ? '' : 'ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1;'}
  ${behind}
  ret;
}`;

const text = moduleText(
  adds('plain', '', ''),
  adds('waits', 'griddepcontrol.launch_dependents; griddepcontrol.wait;', ''),
  adds('late', 'griddepcontrol.launch_dependents;', 'griddepcontrol.wait;'),
  adds('idle', 'griddepcontrol.launch_dependents;', '', true),
);

type Setup = RankSetup<'plain' | 'waits' | 'late' | 'idle'>;

/** The texts of the default check and of all executions. */
async function told(steps: (setup: Setup, word: ReturnType<Setup['alloc']>) => readonly Step[]): Promise<string[]> {
  const shape = { grid: 1, block: 1 } as const;
  const launch = harness({
    kernels: {
      plain: { entry: 'plain', ...shape },
      waits: { entry: 'waits', ...shape },
      late: { entry: 'late', ...shape },
      idle: { entry: 'idle', ...shape },
    },
    ranks: 1,
    launches: 1,
    setup: (setup: Setup) => ({ steps: steps(setup, setup.alloc('word', u32, 1)) }),
  });
  const program = harnessProgram(launch, translate(launch, text, { name: 'k.ptx' }));
  const checked = await check({ ranks: 1 }, program);
  const { report } = await explore({ ranks: 1, mode: 'check' }, program, { runs: 2000 });
  return [checked, ...(report === undefined ? [] : [report])].map((one) => renderReport(one));
}

describe('the help for launches that overlap', () => {
  it('names the wait for the previous launch', async () => {
    const texts = await told(({ launch }, word) => [launch('plain', [word]), launch('late', [word])]);
    for (const one of texts)
      expect(one).toMatch(
        /help: late \(step 2 of 2\) may begin before plain \(step 1 of 2\) has ended: let each thread call griddepcontrol\.wait before its (load|store)/,
      );
  });

  it('names the launches in between, which do not wait', async () => {
    const texts = await told(({ launch }, word) => [
      launch('plain', [word]),
      launch('idle', [word]),
      launch('waits', [word]),
    ]);
    for (const one of texts)
      expect(one).toMatch(
        /help: waits \(step 3 of 3\) may begin before plain \(step 1 of 3\) has ended, unless it and all/,
      );
  });

  it('names the event between two streams', async () => {
    const texts = await told(({ launch, record, waitEvent }, word) => [
      record(1),
      launch('plain', [word]),
      waitEvent(1, { stream: 1 }),
      launch('plain', [word], { stream: 1 }),
    ]);
    for (const one of texts)
      expect(one).toMatch(/are on two streams of rank 0, .*: record an event after plain \(step 2 of 4\), and let the/);
  });

  it('names the word that is written before the launch that it ought to follow', async () => {
    const launch = harness({
      kernels: { plain: { entry: 'plain', grid: 1, block: 1 } },
      ranks: 2,
      launches: 1,
      setup({ rank, alloc, launch: launches, peer, writeWord, waitWord }) {
        const [word, flag] = [alloc('word', u32, 1), alloc('flag', u32, 1)];
        return {
          steps:
            rank === 0
              ? [writeWord(peer(flag, 1), 1), launches('plain', [peer(word, 1)])]
              : [waitWord(flag, 1), launches('plain', [word])],
        };
      },
    });
    const program = harnessProgram(launch, translate(launch, text, { name: 'k.ptx', ranks: 2 }));
    expect(renderReport(await check({ ranks: 2 }, program))).toMatch(
      /help: \S+ \(step 1 of 2\) of rank 1 waits for \S+ \(step 1 of 2\) of rank 0, which comes before plain \(step 2 of 2\) on its stream: let it come after that/,
    );
  });
});
