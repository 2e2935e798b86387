import { check, explore } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { renderReport } from '@nccl-ts/findings';
import {
  harness,
  harnessProgram,
  ptr,
  translate,
  u32,
  type Harness,
  type HarnessOptions,
  type RankSetup,
  type Step,
  type StepsHarness,
} from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';
import { addsText, barrierText, mainText, moduleText, receiveText, sendText } from './support/kernels-as-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

type Program = ReturnType<typeof harnessProgram>;

function program(launch: Harness, text = '', ranks = 2): Program {
  return harnessProgram(launch, translate(launch, text, { name: 'k.ptx', ranks }));
}

async function told(launch: Harness, text = '', ranks = 2): Promise<string> {
  const options = { ranks, local: launch.local };
  return renderReport(await check(options, program(launch, text, ranks)));
}

const without = (text: string, part: string, instead = ''): string => {
  if (!text.includes(part)) throw new RangeError(`the text has no ${part}`);
  return text.replaceAll(part, instead);
};

const all = moduleText(barrierText, mainText, sendText, receiveText);
const barrier = { entry: 'barrier', grid: 1, block: 1 };
const sum = { entry: 'sum', grid: 1, block: 2 };
const send = { entry: 'send', grid: 1, block: 1 };
const receive = { entry: 'receive', grid: 1, block: 1 };

/** The arguments of the barrier kernel, for an epoch. */
function barrierMemory({
  rank,
  ranks,
  nRanks,
  alloc,
  peer,
}: RankSetup): (epoch: number) => readonly (ReturnType<typeof peer> | number)[] {
  const flags = alloc('flags', u32, nRanks);
  const every = alloc(
    'every',
    ptr,
    ranks.map((r) => peer(flags, r)),
  );
  return (epoch) => [every.own, flags.own, rank, nRanks, epoch];
}

describe('a barrier kernel, the main kernel, and a barrier kernel', () => {
  const launch = ({ end = true } = {}): StepsHarness =>
    harness({
      kernels: { barrier, main: sum },
      launches: 3,
      setup(setup) {
        const { rank, ranks, nRanks, alloc, peer, launch: launches } = setup;
        const epoch = barrierMemory(setup);
        const data = alloc('data', u32, 2, (i) => rank + i);
        const out = alloc('out', u32, 2);
        const datas = alloc(
          'datas',
          ptr,
          ranks.map((r) => peer(data, r)),
        );
        return {
          steps: (round) => [
            data.write((i) => rank + i + round),
            launches('barrier', epoch(2 * round + 1)),
            launches('main', [datas, out, nRanks]),
            ...(end ? [launches('barrier', epoch(2 * round + 2))] : []),
          ],
          expect: () => out.equals((i) => ranks.reduce((total, r) => total + r + i + 2, 0)),
        };
      },
    });

  it.each([2, 3, 4].filter((ranks) => (ranks === 2) !== inject('slow')))('is clean on %i ranks', async (ranks) => {
    expect(await told(launch(), all, ranks)).toMatch(/^clean: no findings/);
  });

  it.each(
    [
      ['the barrier releases at too small a scope', 'st.release.sys', 'st.release.gpu'],
      ['the barrier acquires at too small a scope', 'ld.acquire.sys', 'ld.acquire.gpu'],
      ['the barrier does not wait', '@%p2 bra WAIT;', ''],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('is a race if %s', async (_, part, instead) => {
    expect(await told(launch(), without(all, part, instead))).toMatch(/^error\[race\]/);
  });

  it.for(slow)(
    'needs no release in the barrier, because the end of the main kernel releases at system scope',
    async () => {
      expect(await told(launch(), without(all, 'st.release.sys', 'st.relaxed.sys'))).toMatch(/^clean/);
    },
  );

  it.for(slow)('is a race without the last one, and the report names the launches', async () => {
    const text = await told(launch({ end: false }), all);
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(/main \(step 3 of 3\) in launch [12] of 3/);
  });

  it.for(slow)('is the same for the exploration of all executions', async () => {
    const one = harness({
      ...launch(),
      launches: 1,
      setup: (setup) => ({ steps: launch().setup(setup).steps }),
    });
    const found = async (text: string): Promise<readonly (string | undefined)[] | undefined> => {
      const { report } = await explore({ ranks: 2, mode: 'check' }, program(one, text), { runs: 2000 });
      return report?.findings.flatMap(({ kind, labels }) => [kind, ...labels.map(({ purpose }) => purpose)]);
    };
    expect(await found(all)).toEqual([]);
    const weak = await found(without(all, 'st.release.sys', 'st.release.gpu'));
    expect(weak).toEqual(expect.arrayContaining(['race', 'barrier (step 2 of 4)']));
  });
});

describe('different kernels on different ranks', () => {
  /** Rank 0 pushes to rank 1, which receives. */
  const launch = (options: HarnessOptions = {}): StepsHarness =>
    harness({
      kernels: { push: send, pull: receive },
      ranks: 2,
      setup({ rank, alloc, peer, launch: launches }) {
        const data = alloc('data', u32, 1, () => 7);
        const inbox = alloc('inbox', u32, 2);
        const flag = alloc('flag', u32, 1);
        const out = alloc('out', u32, 2);
        return {
          steps: (round) => [
            rank === 0
              ? launches('push', [data, peer(inbox, 1, 4 * round), peer(flag, 1), round + 1])
              : launches('pull', [peer(inbox, 1, 4 * round), flag, peer(out, 1, 4 * round), round + 1]),
          ],
          expect: () => out.equals([7 * rank, 7 * rank]),
        };
      },
      ...options,
    });

  it('talk to each other', async () => {
    expect(await told(launch(), all)).toMatch(/^clean/);
  });

  it.for(slow)('race if the one that pushes does not release', async () => {
    const text = await told(launch(), without(all, 'st.release.sys', 'st.relaxed.sys'));
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(/by rank 1, CTA 0, thread 0, kernel receive, pull in launch \d of 2/);
    expect(text).toMatch(/by rank 0, CTA 0, thread 0, kernel send, push in launch \d of 2/);
  });

  it('leave a rank waiting that no other serves', async () => {
    const deaf = harness({
      ...launch(),
      setup(setup) {
        const { expect: _, ...list } = launch().setup(setup);
        return setup.rank === 0 ? { steps: [] } : list;
      },
    });
    expect(await told(deaf, all)).toMatch(/^error\[deadlock\][^]*pull in launch 1 of 2/);
  });
});

describe('notify, dispatch and combine', () => {
  it('is a list of three kernels on each rank', async () => {
    const launch = harness({
      kernels: { notify: send, dispatch: receive, give: send, combine: receive },
      setup({ rank, nRanks, alloc, peer, launch: launches }) {
        const right = (rank + 1) % nRanks;
        const count = alloc('count', u32, [10 + rank]);
        const counts = alloc('counts', u32, 2);
        const tokens = alloc('tokens', u32, 2);
        const back = alloc('back', u32, 2);
        const out = alloc('out', u32, 2);
        const flags = alloc('flags', u32, 2);
        const left = (rank + nRanks - 1) % nRanks;
        return {
          steps: (round) => [
            launches('notify', [count, peer(counts, right, 4 * round), peer(flags, right), round + 1]),
            launches('dispatch', [peer(counts, rank, 4 * round), flags, peer(tokens, rank, 4 * round), round + 1]),
            launches('give', [
              peer(tokens, rank, 4 * round),
              peer(back, left, 4 * round),
              peer(flags, left, 4),
              round + 1,
            ]),
            launches('combine', [
              peer(back, rank, 4 * round),
              peer(flags, rank, 4),
              peer(out, rank, 4 * round),
              round + 1,
            ]),
          ],
          expect: () => out.equals([10 + rank, 10 + rank]),
        };
      },
    });
    expect(await told(launch, all, 3)).toMatch(/^clean/);
    expect(await told(launch, without(all, '@%p1 bra WAIT;'), 3)).toMatch(/^error\[race\]/);
  });
});

describe('copies on the device between barrier kernels', () => {
  const launch = ({ end = true, bytes = 8 } = {}): StepsHarness =>
    harness({
      kernels: { barrier },
      setup(setup) {
        const { rank, nRanks, alloc, peer, launch: launches, memcpy, memset } = setup;
        const epoch = barrierMemory(setup);
        const data = alloc('data', u32, 3, (i) => 100 * rank + i);
        const inbox = alloc('inbox', u32, 3);
        const out = alloc('out', u32, 3);
        const right = (rank + 1) % nRanks;
        return {
          steps: (round) => [
            memset(out, 0xff),
            launches('barrier', epoch(2 * round + 1)),
            memcpy(peer(inbox, right, 4), peer(data, rank, 4), bytes),
            ...(end ? [launches('barrier', epoch(2 * round + 2))] : []),
            memcpy(out, inbox, 12 - 1),
          ],
          expect: () =>
            out.equals([
              0,
              100 * ((rank + nRanks - 1) % nRanks) + 1,
              0xff000000 + 100 * ((rank + nRanks - 1) % nRanks) + 2,
            ]),
        };
      },
    });

  it.each([2, 3].filter((ranks) => (ranks === 2) !== inject('slow')))('are clean on %i ranks', async (ranks) => {
    expect(await told(launch(), all, ranks)).toMatch(/^clean/);
  });

  it.for(slow)('race without the last barrier, at the lines of the calls', async () => {
    const text = await told(launch({ end: false }), all);
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(/several-kernels\.test\.ts:\d+:\d+/);
    expect(text).toContain('memcpy (step ');
  });

  it('end inside the allocations', () => {
    expect(() => program(launch({ bytes: 12 }), all)).toThrow(
      'setup of rank 0: memcpy: from: cannot use 12 bytes from byte 4 of data because it has 12; pass a smaller number of bytes.',
    );
  });
});

describe('a text for each rank', () => {
  const base = {
    ranks: 2,
    local: true,
    setup: ({
      rank,
      alloc,
    }: RankSetup): {
      readonly args: readonly [ReturnType<typeof alloc>];
      readonly expect: () => ReturnType<ReturnType<typeof word>['equals']>;
    } => {
      const one = word(alloc);
      return { args: [one], expect: () => one.equals([2 * (10 + rank)]) };
    },
  };
  const word = (alloc: RankSetup['alloc']) => alloc('word', u32, 1);
  const textAt = ({ rank }: { readonly rank: number }): string => moduleText(addsText(`add_${rank}d`, 10 + rank));

  it('is a function of the rank, also for the entry', async () => {
    const launch = harness({ ...base, ptx: textAt, entry: ({ rank }) => `add_${rank}d`, grid: 1, block: 1 });
    expect(await told(launch)).toMatch(/^clean/);
  });

  it('is a file for each rank', async () => {
    const launch = harness({ ...base, kernel: ({ rank }) => `rank${rank}.ptx`, entry: /add/, grid: 1, block: 1 });
    const read: (string | undefined)[] = [];
    const translated = translate(
      launch,
      (file) => {
        read.push(file);
        return { name: file ?? '', text: textAt({ rank: Number(/\d/.exec(file ?? '')?.[0]) }) };
      },
      { name: 'k.ptx' },
    );
    expect(read).toEqual(['rank0.ptx', 'rank1.ptx']);
    await expect(harnessProgram(launch, translated)(sim({ ranks: 2 }))).resolves.toBeUndefined();
    await expect(harnessProgram(launch, translated)(sim({ ranks: 3 }))).rejects.toThrow(
      /cannot launch kernel \/add\/ on rank 0 because it was translated for 2 ranks, and there are 3; call translate with ranks: 3\./,
    );
  });

  it('must be there for each rank that launches it', () => {
    const launch = harness({
      ...base,
      ptx: ({ rank }) => (rank === 0 ? textAt({ rank }) : undefined),
      entry: /add/,
      grid: 1,
      block: 1,
    });
    expect(() => program(launch)).toThrow(
      'cannot launch kernel /add/ on rank 1 of 2 because its ptx has no text for that rank; return one, or launch it on other ranks only.',
    );
  });

  it('keeps its own variables', async () => {
    const counts = (constant: number): string => `.global .u32 total = ${constant};
.visible .entry count(.param .u64 word)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [word];
  ld.global.u32 %r1, [total];
  add.u32 %r1, %r1, 1;
  st.global.u32 [total], %r1;
  st.global.u32 [%rd1], %r1;
  ret;
}`;
    const both = harness({
      kernels: {
        one: { ptx: moduleText(counts(10)), entry: 'count', grid: 1, block: 1 },
        same: { ptx: moduleText(counts(10)), entry: 'count', grid: 1, block: 1 },
        other: { ptx: moduleText(counts(20)), entry: 'count', grid: 1, block: 1 },
      },
      ranks: 1,
      launches: 1,
      setup({ alloc, peer, rank, launch }) {
        const out = alloc('out', u32, 3);
        return {
          steps: [launch('one', [out]), launch('same', [peer(out, rank, 4)]), launch('other', [peer(out, rank, 8)])],
          expect: () => out.equals([11, 12, 21]),
        };
      },
    });
    await expect(program(both, '', 1)(sim({ ranks: 1 }))).resolves.toBeUndefined();
  });
});

describe('kernels on two streams of one rank', () => {
  const launch = (stream: number, steps?: (setup: RankSetup) => readonly Step[]): StepsHarness =>
    harness({
      kernels: { produce: send, consume: receive },
      ranks: 1,
      local: true,
      setup(setup) {
        const { alloc, launch: launches, synchronize } = setup;
        const data = alloc('data', u32, 1, () => 5);
        const box = alloc('box', u32, 1);
        const flag = alloc('flag', u32, 1);
        const out = alloc('out', u32, 1);
        return {
          steps: (round) => [
            launches('consume', [box, flag, out, round + 1], { stream }),
            launches('produce', [data, box, flag, round + 1]),
            ...(steps?.(setup) ?? []),
            synchronize(),
          ],
          expect: () => out.equals([5]),
        };
      },
    });

  it('talk to each other', async () => {
    expect(await told(launch(1), all, 1)).toMatch(/^clean/);
  });

  it.for(slow)('race if the first does not release', async () => {
    expect(await told(launch(1), without(all, 'st.release.sys', 'st.relaxed.sys'), 1)).toMatch(/^error\[race\]/);
  });

  it.for(slow)('wait forever on one stream', async () => {
    expect(await told(launch(0), all, 1)).toMatch(/^error\[deadlock\]/);
  });

  it.for(slow)('are ordered by a wait of the host between them', async () => {
    const one = addsText('one', 1);
    const ordered = (waits: boolean): StepsHarness =>
      harness({
        kernels: { one: { entry: 'one', grid: 1, block: 1 } },
        ranks: 1,
        local: true,
        setup({ alloc, launch: launches, synchronize, launches: rounds }) {
          const word = alloc('word', u32, 1);
          return {
            steps: [
              launches('one', [word], { stream: 1 }),
              ...(waits ? [synchronize(1)] : []),
              launches('one', [word]),
              ...(waits ? [synchronize(0)] : []),
            ],
            expect: () => word.equals([2 * rounds]),
          };
        },
      });
    expect(await told(ordered(true), moduleText(one), 1)).toMatch(/^clean/);
    expect(await told(ordered(false), moduleText(one), 1)).toMatch(/^error\[race\]/);
  });
});

describe('steps of the host', () => {
  const launch = (write: (setup: RankSetup) => Step): StepsHarness =>
    harness({
      kernels: { sum: { ...sum, block: 4 } },
      ranks: 1,
      local: true,
      launches: 1,
      setup(setup) {
        const { alloc, launch: launches } = setup;
        const step = write(setup);
        const out = alloc('out', u32, 4);
        return { steps: [step, launches('sum', [alloc('table', ptr, []), out, 0])] };
      },
    });
  const buffer = ({ alloc }: RankSetup) => alloc('buffer', u32, 4, () => 9);

  it('write a number of elements, and nothing behind them', async () => {
    const writes = harness({
      kernels: { one: { ptx: moduleText(addsText('one', 1)), entry: 'one', grid: 1, block: 1 } },
      ranks: 2,
      local: true,
      setup({ rank, alloc, launch: launches, peer }) {
        const data = alloc('data', u32, 6, () => 9);
        return {
          steps: (round) => [
            data.write((i) => 10 * i + round, 2 * rank, 2),
            launches('one', [peer(data, rank, 8 * rank)]),
          ],
          expect: () => data.equals(rank === 0 ? [2, 11, 9, 9, 9, 9] : [9, 9, 22, 31, 9, 9]),
        };
      },
    });
    expect(await told(writes)).toMatch(/^clean/);
  });

  it.each<[string, (setup: RankSetup) => Step, string]>([
    [
      'a write past the end',
      (setup) => buffer(setup).write([1, 2, 3], 2),
      'write: buffer: cannot write 3 elements from element 2 on because it has 4 elements; write at most 2.',
    ],
    [
      'a function past the end',
      (setup) => buffer(setup).write((i) => i, 2, 3),
      'write: buffer: cannot write 3 elements from element 2 on because it has 4 elements; write at most 2.',
    ],
    [
      'a function from the middle without a count',
      (setup) => buffer(setup).write((i) => i, 2),
      'write: buffer: cannot write from element 2 on because a function has no length; pass the number of elements: write(values, 2, count).',
    ],
    [
      'more elements than are given',
      (setup) => buffer(setup).write([1], 0, 2),
      'write: buffer: cannot write 2 elements because 1 values are given; pass as many.',
    ],
    ['a memset of no byte', (setup) => setup.memset(buffer(setup), 256), 'setup of rank 0: memset: value must be'],
    [
      'a memset past the end',
      (setup) => setup.memset(setup.peer(buffer(setup), 0, 8), 0, 9),
      'setup of rank 0: memset: to: cannot use 9 bytes from byte 8 of buffer because it has 16; pass a smaller number of bytes.',
    ],
    [
      'a copy to no address',
      // @ts-expect-error -- a program in JavaScript may pass anything.
      (setup) => setup.memcpy(5, buffer(setup)),
      'setup of rank 0: memcpy: to must be an allocation, or an address from peer(allocation, rank); given 5.',
    ],
    [
      'a copy to all ranks at once',
      (setup) => setup.memcpy(setup.multicast(buffer(setup)), setup.alloc('from', 4)),
      'setup of rank 0: memcpy: to cannot be a multicast address because copies have one target; write a copy for each peer.',
    ],
  ])('are refused: %s', (_, write, message) => {
    expect(() => program(launch(write), all, 1)).toThrow(expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT' }));
    expect(() => program(launch(write), all, 1)).toThrow(message);
  });
});

describe('the shape of a launch', () => {
  const writes = (shared: number): string => `.extern .shared .align 4 .b8 sm[];
.visible .entry writes(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r5, sm;
  st.shared.u32 [%r5+${shared - 4}], 1;
  add.u32 %r6, %r4, 1;
  st.global.u32 [%rd3], %r6;
  ret;
}`;

  it('is that of the kernel, or of the step', async () => {
    const kernel = { ptx: moduleText(writes(64)), entry: 'writes', grid: 1, block: 2, dynamicShared: 64 };
    const launch = harness({
      kernels: { narrow: kernel, wide: { ...kernel, grid: 2 } },
      ranks: 1,
      launches: 1,
      local: true,
      setup({ alloc, launch: launches }) {
        const [a, b, c] = ['a', 'b', 'c'].map((name) => alloc(name, u32, 6));
        if (a === undefined || b === undefined || c === undefined) throw new RangeError('there are three');
        return {
          steps: [launches('narrow', [a]), launches('wide', [b]), launches('wide', [c], { grid: { x: 3 }, block: 1 })],
          expect: () => [a.equals([1, 2, 0, 0, 0, 0]), b.equals([1, 2, 3, 4, 0, 0]), c.equals([1, 2, 3, 0, 0, 0])],
        };
      },
    });
    await expect(program(launch, '', 1)(sim({ ranks: 1 }))).resolves.toBeUndefined();
  });

  it.for(slow)('is programmatic for the kernels that say so', async () => {
    const one = { ptx: moduleText(addsText('one', 1)), entry: 'one', grid: 1, block: 1 };
    const lets = without(one.ptx, 'ld.param', 'griddepcontrol.launch_dependents; ld.param');
    const launch = (programmatic: boolean): StepsHarness =>
      harness({
        kernels: { lets: { ...one, ptx: lets, programmatic: false }, early: { ...one, programmatic } },
        ranks: 1,
        local: true,
        launches: 1,
        setup({ alloc, launch: launches }) {
          const word = alloc('word', u32, 1);
          return { steps: [launches('lets', [word]), launches('early', [word])] };
        },
      });
    expect(await told(launch(false), '', 1)).toMatch(/^clean/);
    expect(await told(launch(true), '', 1)).toMatch(/^error\[race\]/);
  });
});

describe('impossible steps', () => {
  const one = { ptx: moduleText(addsText('one', 1)), entry: 'one', grid: 1, block: 1 };
  const steps = (made: (setup: RankSetup<'one' | 'two'>) => unknown): Harness =>
    harness({
      kernels: { one, two: one },
      ranks: 1,
      // @ts-expect-error -- a program in JavaScript may return anything.
      setup: (setup) => made(setup),
    });

  it.each<[string, (setup: RankSetup<'one' | 'two'>) => unknown, string]>([
    [
      'args',
      () => ({ args: [] }),
      'setup of rank 0 must answer { steps: [...] }, the list of its launches, because the harness has kernels',
    ],
    ['a number of steps', () => ({ steps: () => 3 }), 'setup of rank 0: steps of launch 0 must be an array; given 3.'],
    [
      'a name as a step',
      () => ({ steps: ['one'] }),
      `setup of rank 0: step 1 of launch 0 must come from launch, memcpy, memset, synchronize, writeWord, waitWord, record, waitEvent, hostBarrier, or an allocation's write or equals; given "one".`,
    ],
    [
      'a kernel that is not there',
      // @ts-expect-error -- the names are known.
      ({ launch }) => ({ steps: [launch('three', [])] }),
      'setup of rank 0: cannot launch "three" because the harness has no kernel of that name; it has one, two.',
    ],
    [
      'no arguments',
      // @ts-expect-error -- there must be arguments.
      ({ launch }) => ({ steps: [launch('one')] }),
      'setup of rank 0: launch of one: args must be an array',
    ],
    [
      'a stream that is no number',
      // @ts-expect-error -- a stream is a number.
      ({ launch }) => ({ steps: [launch('one', [null], { stream: 'second' })] }),
      'setup of rank 0: launch of one: stream must be an integer from 0 to 1023; given "second".',
    ],
    [
      'no kernel on any rank',
      () => ({ steps: [] }),
      'cannot run the harness because none of its 1 ranks launches a kernel; write launch(...) into the steps of one.',
    ],
    [
      'too many arguments',
      ({ launch, alloc }) => ({ steps: [launch('two', [alloc('a', 4), 1])] }),
      'rank 0: two: the entry has 1 parameter (0: u64, 8 bytes); args has 2.',
    ],
    [
      'too many CTAs',
      ({ launch, alloc }) => ({ steps: [launch('two', [alloc('a', 4)], { grid: 70000 })] }),
      'setup of rank 0: launch of two: grid has 70000 CTAs',
    ],
  ])('are refused: %s', async (_, made, message) => {
    const run = async (): Promise<void> => program(steps(made), '', 1)(sim({ ranks: 1 }));
    await expect(run()).rejects.toThrow(expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT' }));
    await expect(run()).rejects.toThrow(message);
  });

  it.each<[string, unknown, RegExp]>([
    ['a list of kernels', [one], /kernels must be an object with a kernel for each name/],
    ['no kernels', {}, /kernels is empty/],
    ['a kernel that is none', { one: 'one' }, /kernel one must be \{ entry, grid, block \}; given "one"/],
    ['a kernel without an entry', { one: { grid: 1, block: 1 } }, /kernel one: entry must be/],
    ['a kernel without a grid', { one: { entry: 'one', block: 1 } }, /kernel one: grid is missing/],
    ['two texts', { one: { ...one, kernel: 'k.ptx' } }, /kernel one: there are both kernel and ptx/],
    [
      'a text that is none',
      { one: { ...one, ptx: 5 } },
      /kernel one: ptx must be a text or a function of the rank; given 5/,
    ],
  ])('are refused: %s', (_, kernels, message) => {
    const setup = (): { readonly steps: [] } => ({ steps: [] });
    // @ts-expect-error -- a program in JavaScript may pass anything.
    expect(() => harness({ kernels, setup })).toThrow(message);
  });

  it('are refused: a grid of all kernels', () => {
    const setup = (): { readonly steps: [] } => ({ steps: [] });
    // @ts-expect-error -- it belongs to one kernel.
    expect(() => harness({ kernels: { one }, grid: 1, setup })).toThrow(
      'harness: grid belongs to one kernel, and there are kernels; write it there.',
    );
  });

  it('are refused: an entry that is not there', () => {
    const launch = harness({
      kernels: { one: { ...one, entry: 'none' } },
      ranks: 1,
      setup: ({ launch: launches, alloc }) => ({ steps: [launches('one', [alloc('a', 4)])] }),
    });
    expect(() => program(launch, '', 1)).toThrow(/ptx of one has no entry none; it has these:\n {2}one/);
  });

  it('are refused: a launch by name in a harness of one kernel', () => {
    const launch = harness({
      ...one,
      ranks: 1,
      // @ts-expect-error -- there are no names.
      setup: ({ launch: launches }) => ({ args: [launches('one', [])] }),
    });
    expect(() => program(launch, '', 1)).toThrow(/cannot launch "one" because the harness describes one kernel/);
  });
});
