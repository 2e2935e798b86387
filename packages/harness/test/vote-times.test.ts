import { machines } from '@nccl-ts/cost-model';
import { predict } from '@nccl-ts/prediction';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The end of a round: the vote of the lanes, which leaves the loop if `%p2` is false. */
const votes = {
  all: 'vote.sync.all.pred %p1, %p1, 0xffffffff; not.pred %p2, %p1;',
  'not any': 'not.pred %p1, %p1; vote.sync.any.pred %p2, %p1, 0xffffffff;',
  ballot: 'vote.sync.ballot.b32 %r4, %p1, 0xffffffff; setp.ne.u32 %p2, %r4, 0xffffffff;',
  barrier: 'not.pred %p1, %p1; barrier.red.or.pred %p2, 0, %p1;',
  any: 'vote.sync.any.pred %p1, %p1, 0xffffffff; not.pred %p2, %p1;',
} as const;

/** Rank 0 sets the words of rank 1 one after the other. Each lane of rank 1 looks at its own. */
const text = (vote: string): string => `
.version 8.5
.target sm_90
.address_size 64
.visible .entry tells(.param .u64 far, .param .u64 near, .param .u32 rank)
{
  .reg .pred %p<6>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [far];
  ld.param.u64 %rd2, [near];
  ld.param.u32 %r1, [rank];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  setp.ne.u32 %p3, %r1, 0;
  @%p3 bra LOOP;
  setp.ne.u32 %p4, %r2, 0;
  @%p4 bra END;
  mov.u32 %r5, 0;
TELL:
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd1, %rd5;
  st.release.sys.global.u32 [%rd6], 1;
  add.u32 %r5, %r5, 1;
  setp.ne.u32 %p5, %r5, 32;
  @%p5 bra TELL;
  bra END;
LOOP:
  ld.relaxed.sys.global.u32 %r3, [%rd4];
  setp.eq.u32 %p1, %r3, 1;
  ${vote}
  @%p2 bra LOOP;
  st.release.sys.global.u32 [%rd4], 2;
END:
  ret;
}
`;

/** The nanoseconds for which rank 1 waits. */
async function waitOf(vote: keyof typeof votes): Promise<number | undefined> {
  const launch = harness({
    entry: 'tells',
    ranks: 2,
    grid: 1,
    block: 32,
    launches: 1,
    setup({ rank, alloc, peer }) {
      const words = alloc('words', u32, 32);
      return {
        args: [peer(words, 1 - rank, 0), peer(words, rank, 0), rank],
        expect: () => words.equals(() => (rank === 0 ? 0 : 2)),
      };
    },
  });
  const run = harnessProgram(launch, translate(launch, text(votes[vote]), { name: 'tells.ptx' }));
  const { wait } = await predict({ ranks: 2, machine: machines['h100-nvlink4'], bounds: false }, run);
  return wait?.nanoseconds;
}

it.each((['not any', 'ballot', 'barrier'] as const).filter((_, i) => (i === 0) !== inject('slow')))(
  'a loop of PTX until %s lanes have seen their words takes the time of a wait',
  async (vote) => {
    // An instruction more takes 2.5 ns, and a round with a load more than 300.
    expect(await waitOf(vote)).toBeCloseTo((await waitOf('all')) ?? Number.NaN, -1);
  },
);

it.for(slow)('a loop of PTX that any lane ends takes the time until the first word', async () => {
  const first = (await waitOf('any')) ?? Number.NaN;
  // There are 32 words, whose stores take equally long.
  expect(first * 20).toBeLessThan((await waitOf('all')) ?? Number.NaN);
});
