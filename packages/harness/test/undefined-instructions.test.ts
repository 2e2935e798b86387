import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/** Checks a body that 32 threads of one rank run. It has %r1 (the thread) and %rd1 (an array). */
async function checked(body: string): Promise<CheckReport> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r3, 0;
  ${body}
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r3;
  ret;
}
`;
  const launch = harness({
    entry: 'k',
    launches: 1,
    ranks: 1,
    local: true,
    grid: 1,
    block: 32,
    setup: ({ alloc }) => ({ args: [alloc('out', u32, 32)] }),
  });
  return check({ ranks: 1, local: true }, harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })));
}

describe('a lane that the mask does not name', () => {
  it.each([
    'shfl.sync.bfly.b32 %r3, %r1, 1, 0x1f, MASK;',
    'vote.sync.ballot.b32 %r3, %p1, MASK;',
    'match.any.sync.b32 %r3, %r1, MASK;',
    'redux.sync.add.u32 %r3, %r1, MASK;',
    'bar.warp.sync MASK;',
  ])('is an error: %s', async (instruction) => {
    const report = await checked(instruction.replace('MASK', '0xffff'));
    expect(report.verdict).toBe('fault');
    expect(report.findings[0]?.message).toContain('a lane that the mask of the instruction does not name executes it');
    const lower = `setp.lt.u32 %p2, %r1, 16; @!%p2 bra REST; ${instruction.replace('MASK', '0xffff')} REST:`;
    expect((await checked(lower)).verdict).toBe('clean');
  });
});

describe('an mbarrier that is no longer one', () => {
  const wait = 'W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0; @!%p2 bra W;';
  const before =
    '@%p1 mbarrier.init.shared::cta.b64 [%r4], 1; bar.sync 0; @%p1 mbarrier.arrive.shared::cta.b64 _, [%r4];';
  const inval = '@%p1 mbarrier.inval.shared::cta.b64 [%r4];';

  it('is not waited for, after mbarrier.inval and beside it', async () => {
    expect((await checked(`mov.u32 %r4, bar; ${before} ${inval} bar.sync 0; ${wait}`)).verdict).toBe('deadlock');
    expect((await checked(`mov.u32 %r4, bar; ${before} ${wait} ${inval}`)).verdict).not.toBe('clean');
    expect((await checked(`mov.u32 %r4, bar; ${before} ${wait} bar.sync 0; ${inval}`)).verdict).toBe('clean');
  });
});
