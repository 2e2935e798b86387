import { check } from '@nccl-ts/checker';
import { renderReport, type CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Each rank stores data, runs `body`, and loads the data of its peer. `%rd1` is the own memory. */
function spinning(body: string): Promise<CheckReport> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u64 peer)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mem]; ld.param.u64 %rd2, [peer];
  mov.u32 %r1, 7; st.global.u32 [%rd1+16], %r1;
  ${body}
  ld.global.u32 %r2, [%rd2+16]; st.global.u32 [%rd1+32], %r2;
  ret;
}
`;
  const launch = harness({
    entry: 'k',
    ranks: 2,
    grid: 1,
    block: 1,
    launches: 1,
    setup({ alloc, nRanks, peer, rank }) {
      const x = alloc('x', u32, 16);
      return { args: [x, peer(x, (rank + 1) % nRanks)], expect: () => x.equals([7], { from: 8 }) };
    },
  });
  return check({ ranks: 2 }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
}

const raise = (order: string): string =>
  `A: atom.global.${order}.sys.cas.b32 %r3, [%rd2], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra A;`;
const take = (order: string): string =>
  `B: atom.global.${order}.sys.cas.b32 %r3, [%rd1], 1, 0; setp.ne.u32 %p1, %r3, 1; @%p1 bra B;`;

describe('a barrier of compare-and-swap spins', () => {
  it('is proven by one run, like one of loads and stores', async () => {
    const { verdict, proves } = await spinning(raise('release') + take('acquire'));
    expect([verdict, proves.kind]).toEqual(['clean', 'all schedules']);
  });

  it.each(
    [
      ['does not release', raise('relaxed') + take('acquire')],
      ['does not acquire', raise('release') + take('relaxed')],
      ['does not wait', raise('release')],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('is a race if it %s', async (_, body) => {
    expect((await spinning(body)).verdict).toBe('race');
  });

  it('names the value that a deadlock waits for', async () => {
    const report = await spinning(take('acquire'));
    expect(report.verdict).toBe('deadlock');
    expect(renderReport(report)).toMatch(/1 \(is 0\)|is 0/u);
  });
});

/**
 * Each rank takes a lock of rank 0 and marks a word beside it. The one that finds the word
 * unmarked, if it is `rank`, also stores to word 4, as rank 1 does without the lock.
 */
function locking(rank: number): Promise<CheckReport> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u32 rank)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mem]; ld.param.u32 %r1, [rank];
A: atom.global.acquire.sys.cas.b32 %r3, [%rd1], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra A;
  ld.global.u32 %r4, [%rd1+4]; mov.u32 %r5, 1; st.global.u32 [%rd1+4], %r5;
  atom.global.release.sys.exch.b32 %r3, [%rd1], 0;
  setp.eq.u32 %p1, %r4, 0; setp.eq.u32 %p2, %r1, ${rank}; and.pred %p1, %p1, %p2;
  setp.eq.u32 %p2, %r1, 1; or.pred %p1, %p1, %p2;
  @%p1 st.global.u32 [%rd1+16], %r1;
  ret;
}
`;
  const launch = harness({
    entry: 'k',
    ranks: 2,
    grid: 1,
    block: 1,
    launches: 1,
    setup: ({ alloc, peer, rank: r }) => ({ args: [peer(alloc('x', u32, 16), 0), r] }),
  });
  return check({ ranks: 2 }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
}

describe('a lock that is taken by a compare-and-swap spin', () => {
  it('protects what is done under it, whoever comes first', async () => {
    expect((await locking(1)).verdict).toBe('clean');
  });

  it.for(slow)('may be taken by either rank first, and a race of one order is found', async () => {
    expect((await locking(0)).verdict).toBe('race');
  });
});
