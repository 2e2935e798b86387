import { check, explore } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const ranks = 3;

/** Rank 0 announces 16 bytes to all ranks, by ordinary stores through multicast addresses. */
const announce = `
.version 8.5
.target sm_90
.address_size 64
.visible .entry announce(.param .u64 all_lines, .param .u64 all_flags, .param .u64 line, .param .u64 flag, .param .u64 out, .param .u32 rank)
{
  .reg .pred %p<3>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [all_lines];
  ld.param.u64 %rd2, [all_flags];
  ld.param.u64 %rd3, [line];
  ld.param.u64 %rd4, [flag];
  ld.param.u64 %rd5, [out];
  ld.param.u32 %r1, [rank];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra RECEIVE;
  mov.u32 %r2, 7;
  st.global.v4.u32 [%rd1], {%r2, 8, 9, 10};
  fence.proxy.alias;
  st.release.sys.global.u32 [%rd2], 1;
RECEIVE:
  ld.acquire.sys.global.u32 %r3, [%rd4];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra RECEIVE;
  fence.proxy.alias;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];
  st.global.v4.u32 [%rd5], {%r4, %r5, %r6, %r7};
  ret;
}
`;

const launch = harness({
  entry: 'announce',
  ranks,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, alloc, multicast }) {
    const [line, flag, out] = [alloc('line', u32, 4), alloc('flag', u32, 1), alloc('out', u32, 4)];
    const args = [multicast(line), multicast(flag), line, flag, out, rank];
    return { args, expect: () => out.equals([7, 8, 9, 10]) };
  },
});

const programOf = (...changes: readonly (readonly [string, string])[]): ReturnType<typeof harnessProgram> => {
  let text = announce;
  for (const [from, to] of changes) {
    expect(text).toContain(from);
    text = text.replace(from, to);
  }
  return harnessProgram(launch, translate(launch, text, { name: 'announce.ptx' }));
};

const told = ({ verdict, findings }: CheckReport): string =>
  [verdict, ...findings.map(({ severity, kind }) => `${severity} ${kind}`)].join(', ');

const explored = async (program: ReturnType<typeof programOf>): Promise<CheckReport | undefined> =>
  (await explore({ ranks, mode: 'check' }, program, { runs: 500 })).report;

const line = 'st.global.v4.u32 [%rd1], {%r2, 8, 9, 10}';
const release = 'st.release.sys.global.u32 [%rd2], 1';

describe('stores that are not multimem.st through a multicast address', () => {
  it('reach the copies of all ranks', async () => {
    await expect(programOf()(sim({ ranks }))).resolves.toBeUndefined();
  });

  it.each(
    [
      ['volatile', line, 'st.volatile.global.v4.u32 [%rd1], {%r2, 8, 9, 10}'],
      ['relaxed', line, 'st.relaxed.sys.global.v4.u32 [%rd1], {%r2, 8, 9, 10}'],
      ['two words', line, 'st.global.v2.u64 [%rd1], {34359738375, 42949672969}'],
      ['without a state space', line, 'st.v4.u32 [%rd1], {%r2, 8, 9, 10}'],
      ['a fence and a relaxed flag', release, 'fence.acq_rel.sys; st.relaxed.sys.global.u32 [%rd2], 1'],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('are a warning, and ordered like others: %s', async (_, from, to) => {
    expect(told(await check({ ranks }, programOf([from, to])))).toBe('clean, model misuse, model misuse');
  });

  it.for(slow)('are a warning with one sentence, and an error under strict', async () => {
    const report = await check({ ranks }, programOf());
    expect(told(report)).toBe('clean, model misuse, model misuse');
    const [finding] = report.findings;
    expect(finding?.message).toBe(
      'a store that is not multimem.st goes through a multicast address: PTX leaves it undefined, but GPUs store to every copy',
    );
    expect(finding?.labels.map(({ does, rank }) => [does, rank])).toEqual([['store', 0]]);
    expect((await check({ ranks, strict: true }, programOf())).verdict).toBe('misuse');
  });

  it.for(slow)('race with the loads of each rank if the flag is relaxed', async () => {
    const wrong = programOf([release, 'st.relaxed.sys.global.u32 [%rd2], 1']);
    expect(told(await check({ ranks }, wrong))).toContain('error race');
    const report = await explored(wrong);
    expect(report?.findings.map(({ severity, kind }) => `${severity} ${kind}`)).toContain('error race');
  });

  it('are a second path to the same bytes, which needs proxy fences', async () => {
    const fence = ['fence.proxy.alias;', ''] as const;
    expect(told(await check({ ranks }, programOf(fence, fence)))).toContain('model proxy');
  });

  it('have the same findings in all executions', async () => {
    const report = await explored(programOf());
    expect(report === undefined ? '' : told(report)).toMatch(/^(clean|incomplete), model misuse, model misuse$/);
  });
});

describe('other accesses through a multicast address', () => {
  it.each(
    [
      ['a load', release, `${release}; ld.global.u32 %r2, [%rd1]`],
      ['an acquire', 'ld.acquire.sys.global.u32 %r3, [%rd4]', 'ld.acquire.sys.global.u32 %r3, [%rd2]'],
      ['an update', release, 'red.release.sys.global.add.u32 [%rd2], 1'],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('are misuse: %s', async (_, from, to) => {
    await expect(programOf([from, to])(sim({ ranks }))).rejects.toThrow(/through a multicast pointer/);
    expect((await check({ ranks }, programOf([from, to]))).verdict).toBe('misuse');
  });

  it('are out of bounds behind the end of the memory', async () => {
    const past = programOf(['[%rd1]', '[%rd1+16]']);
    await expect(past(sim({ ranks }))).rejects.toThrow(/NCCLTS_OUT_OF_BOUNDS|line/);
  });
});
