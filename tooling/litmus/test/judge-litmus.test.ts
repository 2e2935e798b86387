import { describe, expect, inject, test } from 'vitest';
import { parseExpectations } from '../src/expectations.ts';
import { answerOf, outcomeOf } from '../src/judge-litmus.ts';
import { litmusPtx } from '../src/litmus-ptx.ts';
import { parseLitmus } from '../src/parse-litmus.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

interface Text {
  readonly setting?: string;
  readonly threads: readonly string[];
  readonly claim: string;
}

function textOf({ setting = 'x=0; y=0;', threads, claim }: Text): string {
  return `PTX own\n{\n${setting}\n}\n${threads.join('\n')}\n${claim}\n`;
}

async function answer(
  given: Text,
  property: 'condition' | 'termination' = 'condition',
): Promise<boolean | undefined | string> {
  const outcome = await outcomeOf(textOf(given));
  return outcome.kind === 'ran' ? answerOf({ property }, outcome) : outcome.why;
}

const handOver = (release: string, acquire: string, cta = 1): readonly string[] => [
  ` P0@cta 0,gpu 0  | P1@cta ${cta},gpu 0 ;`,
  ` st.weak x, 1    | ${acquire} r0, y    ;`,
  ` ${release} y, 1 | ld.weak r1, x       ;`,
];

describe('a litmus test through PTX text', () => {
  test.each([
    ['st.release.gpu', 'ld.acquire.gpu', true],
    ['st.relaxed.gpu', 'ld.relaxed.gpu', false],
    ['st.release.cta', 'ld.acquire.cta', false],
  ])('of a hand-over by %s and %s', async (release, acquire, expected) => {
    expect(await answer({ threads: handOver(release, acquire), claim: '~exists (P1:r0 == 1 /\\ P1:r1 == 0)' })).toBe(
      expected,
    );
  });

  test.for(slow)('tells a location’s last value, by atomics on two GPUs', async () => {
    const threads = [
      ' P0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;',
      ' red.acq_rel.sys.sub x, 1 | atom.acq_rel.sys.add r0, x, 3 ;',
    ];
    expect(await answer({ setting: 'x=2;', threads, claim: 'forall (x == 4)' })).toBe(true);
    expect(await answer({ setting: 'x=2;', threads, claim: 'forall (P1:r0 == 2)' })).toBe(false);
  });

  test.for(slow)('meets at barriers, and counts litmus threads as warps where a barrier has a count', async () => {
    const threads = (barrier: string): readonly string[] => [
      ' P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;',
      ` st.weak x, 1   | ${barrier}     ;`,
      ` ${barrier}     | ld.weak r0, x  ;`,
    ];
    const claim = '~exists (P1:r0 == 0)';
    for (const barrier of ['bar.cta.sync 0', 'bar.cta.sync 1, 1, 2'])
      expect(await answer({ threads: threads(barrier), claim })).toBe(true);
    expect(litmusPtx(parseLitmus(textOf({ threads: threads('bar.cta.sync 1, 1, 2'), claim }))).block).toBe(64);
    expect(await answer({ threads: threads('bar.cta.arrive 1'), claim })).toContain('bar.arrive without a count');
  });

  test('ends, or waits for ever', async () => {
    const threads = (value: number): readonly string[] => [
      ' P0@cta 0,gpu 0        | P1@cta 1,gpu 0         ;',
      ` st.relaxed.gpu x, ${value} | LC00:             ;`,
      '                       | ld.relaxed.gpu r0, x   ;',
      '                       | bne r0, 1, LC00        ;',
    ];
    expect(await answer({ threads: threads(1), claim: 'exists (0==0)' }, 'termination')).toBe(true);
    expect(await answer({ threads: threads(2), claim: 'exists (0==0)' }, 'termination')).toBe(false);
  });

  test('takes one proxy for the async one, which needs its fence', async () => {
    const threads = (fence: string): readonly string[] => [
      ' P0@cta 0,gpu 0 ;',
      ' sust.weak s, 2 ;',
      ` ${fence} ;`,
      ' ld.weak r0, x ;',
    ];
    const setting = 'x=0; s @ surface aliases x;';
    const claim = 'forall (P0:r0 == 2)';
    expect(await answer({ setting, threads: threads('fence.proxy.surface'), claim })).toBe(true);
    expect(
      await answer({ setting: `${setting} t @ texture aliases x;`, threads: threads('tld.weak r1, t'), claim }),
    ).toContain('proxies');
  });
});

test('expected results are lines of a path and a number', () => {
  expect(parseExpectations('litmus/PTX/Own/one.litmus,1\n\nlitmus/PTX/Own/two+three.litmus,0\n')).toEqual([
    { test: 'Own/one', passes: true },
    { test: 'Own/two+three', passes: false },
  ]);
});
