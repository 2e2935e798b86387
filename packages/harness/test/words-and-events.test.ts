import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import {
  f32,
  harness,
  harnessProgram,
  ptr,
  translate,
  u32,
  type Allocation,
  type RankSetup,
  type Step,
} from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';
import { mainText, moduleText } from './support/kernels-as-text.ts';

const copy = `.visible .entry copy(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r2, [%rd1];
  st.global.u32 [%rd2], %r2;
  ret;
}`;

type Steps = (setup: RankSetup<'copy' | 'sum'>) => { readonly steps: readonly Step[] };

async function told(setup: Steps, options: { readonly launches?: number } = {}): Promise<string> {
  const launch = harness({
    kernels: { copy: { entry: 'copy', grid: 1, block: 4 }, sum: { entry: 'sum', grid: 1, block: 4 } },
    ranks: 2,
    launches: options.launches ?? 1,
    setup,
  });
  const translated = translate(launch, moduleText(copy, mainText), { name: 'k.ptx', ranks: 2 });
  return renderReport(await check({ ranks: 2 }, harnessProgram(launch, translated)));
}

/** Rank 0 gives its data to rank 1, which copies it to its result. */
function handsOver(
  raise: (flag: (rank: number) => ReturnType<RankSetup['peer']>) => (setup: RankSetup<'copy' | 'sum'>) => Step[],
  lower: typeof raise,
): Steps {
  return (setup) => {
    const { rank, alloc, peer, launch } = setup;
    const data = alloc('data', u32, 4, (i) => 10 * rank + i + 1);
    const inbox = alloc('inbox', u32, 4);
    const out = alloc('out', u32, 4);
    const flag = alloc('flag', u32, 1);
    const at = (r: number): ReturnType<typeof peer> => peer(flag, r);
    return rank === 0
      ? { steps: [launch('copy', [data, peer(inbox, 1)]), ...raise(at)(setup)] }
      : { steps: [...lower(at)(setup), launch('copy', [inbox, out]), out.equals((i) => i + 1)] };
  };
}

describe('a word on a stream', () => {
  it('orders the work before its write before the work after its wait', async () => {
    const text = await told(
      handsOver(
        (flag) =>
          ({ writeWord }) => [writeWord(flag(1), 1)],
        (flag) =>
          ({ waitWord }) => [waitWord(flag(1), 1)],
      ),
    );
    expect(text).toMatch(/^clean/);
  });

  it('orders nothing if the wait is on another stream', async () => {
    const text = await told(
      handsOver(
        (flag) =>
          ({ writeWord }) => [writeWord(flag(1), 1)],
        (flag) =>
          ({ waitWord }) => [waitWord(flag(1), 1, { stream: 1 })],
      ),
    );
    expect(text).toContain('race');
  });

  // The word is 0 at first, and 1 then.
  it.each([
    { condition: 'geq', value: 1, says: /^clean/ },
    { condition: 'geq', value: -1, says: /race/ },
    { condition: 'eq', value: 1, says: /^clean/ },
    { condition: 'eq', value: 2, says: /deadlock/ },
    { condition: 'and', value: 3, says: /^clean/ },
    { condition: 'and', value: 2, says: /deadlock/ },
    { condition: 'nor', value: 0xffff_fffe, says: /race/ },
    { condition: 'nor', value: 0xffff_ffff, says: /deadlock/ },
  ] as const)('meets $condition $value as the driver says: $says', async ({ condition, value, says }) => {
    const text = await told(
      handsOver(
        (flag) =>
          ({ writeWord }) => [writeWord(flag(1), 1)],
        (flag) =>
          ({ waitWord }) => [waitWord(flag(1), value, { condition })],
      ),
    );
    expect(text).toMatch(says);
  });

  it('is shown by the name of the call if it is never written', async () => {
    const text = await told(
      handsOver(
        () => () => [],
        (flag) =>
          ({ waitWord }) => [waitWord(flag(1), 1)],
      ),
    );
    expect(text).toContain('cuStreamWaitValue32');
  });

  it.each([
    {
      what: 'past the end',
      made: ({ waitWord, peer }, flag) => waitWord(peer(flag, 0, 4), 1, { bytes: 8 }),
      says: 'cannot use 8 bytes',
    },
    {
      what: 'off its boundary',
      made: ({ writeWord, peer }, flag) => writeWord(peer(flag, 0, 2), 1),
      says: 'multiple of 4 bytes',
    },
    { what: 'too large', made: ({ writeWord }, flag) => writeWord(flag, 2 ** 32), says: 'a whole number of 4 bytes' },
    { what: 'an event that is none', made: ({ record }) => record(-1), says: 'record: event' },
  ] satisfies readonly {
    what: string;
    made: (setup: RankSetup<'copy' | 'sum'>, flag: Allocation) => Step;
    says: string;
  }[])('is refused: $what', async ({ made, says }) => {
    const run = told((setup) => {
      const flag = setup.alloc('flag', u32, 2);
      setup.alloc('behind', u32, 8);
      return { steps: [made(setup, flag)] };
    });
    await expect(run).rejects.toThrow(says);
  });
});

/** Stream 1 copies what stream 0 has copied. */
function twoStreams(between: (setup: RankSetup<'copy' | 'sum'>) => readonly Step[]): Steps {
  return (setup) => {
    const { rank, ranks, alloc, peer, launch } = setup;
    const data = alloc('data', u32, 4, (i) => rank + i);
    const middle = alloc('middle', u32, 4);
    const out = alloc('out', u32, 4);
    const every = alloc(
      'every',
      ptr,
      ranks.map((r) => peer(data, r)),
    );
    return {
      steps: [
        launch('copy', [data, middle]),
        ...between(setup),
        launch('copy', [middle, out], { stream: 1 }),
        launch('sum', [every, alloc('sums', u32, 4), ranks.length], { stream: 1 }),
        out.equals((i) => rank + i),
      ],
    };
  };
}

describe('an event', () => {
  it('orders the streams of a rank', async () => {
    expect(await told(twoStreams(({ record, waitEvent }) => [record(2), waitEvent(2, { stream: 1 })]))).toMatch(
      /^clean/,
    );
  });

  it('orders them in each of two launches', async () => {
    const both = twoStreams(({ record, waitEvent }) => [record(0), waitEvent(0, { stream: 1 })]);
    const text = await told(
      (setup) => {
        const { steps } = both(setup);
        return { steps: [...steps, setup.record(1, { stream: 1 }), setup.waitEvent(1)] };
      },
      { launches: 2 },
    );
    expect(text).toMatch(/^clean/);
  });

  it('is not waited for before it is recorded', async () => {
    expect(await told(twoStreams(({ record, waitEvent }) => [waitEvent(2, { stream: 1 }), record(2)]))).toContain(
      'race',
    );
  });
});

describe('a barrier of the hosts', () => {
  const exchange =
    (meet: (setup: RankSetup<'copy' | 'sum'>) => readonly Step[]): Steps =>
    (setup) => {
      const { rank, alloc, peer, launch } = setup;
      const data = alloc('data', u32, 4, (i) => rank + i);
      const inbox = alloc('inbox', u32, 4);
      const out = alloc('out', u32, 4);
      return {
        steps: [
          launch('copy', [data, peer(inbox, 1 - rank)]),
          ...meet(setup),
          launch('copy', [inbox, out]),
          out.equals((i) => 1 - rank + i),
        ],
      };
    };

  it('orders kernels that the hosts have waited for', async () => {
    expect(await told(exchange(({ synchronize, hostBarrier }) => [synchronize(), hostBarrier()]))).toMatch(/^clean/);
  });

  it('orders no kernels that they have not', async () => {
    expect(await told(exchange(({ hostBarrier }) => [hostBarrier()]))).toContain('race');
  });

  it('does not end on one rank alone', async () => {
    const text = await told(
      exchange(({ rank, synchronize, hostBarrier }) => (rank === 0 ? [synchronize(), hostBarrier()] : [])),
    ).catch(String);
    expect(text).not.toMatch(/^clean/);
  });
});

describe('an expectation among the steps', () => {
  it('compares what is there then', async () => {
    const text = await told(({ rank, alloc, launch, peer }) => {
      const data = alloc('data', u32, 4, (i) => i);
      const other = alloc('other', u32, 4, (i) => 2 * i);
      const out = alloc('out', u32, 4);
      return {
        steps: [
          launch('copy', [peer(data, 1 - rank), out]),
          out.equals((i) => i),
          launch('copy', [other, out]),
          out.equals((i) => i),
        ],
      };
    });
    expect(text).toContain('is 2, but the harness expects 1');
  });
});

describe('uninitialised memory', () => {
  it('is a finding where it is read, whatever its type', async () => {
    const text = await told(({ rank, alloc, launch, peer }) => {
      const data = alloc('data', f32, 4, 'uninitialised');
      return { steps: [launch('copy', [peer(data, 1 - rank), alloc('out', f32, 4)])] };
    });
    expect(text).toContain('uninitialised');
  });
});
