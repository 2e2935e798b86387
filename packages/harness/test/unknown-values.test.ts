import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** A warpgroup multiplies, and stores a value that is unknown and one that is not. */
const text = (uses: string): string => `
.version 8.4
.target sm_90a
.address_size 64
.visible .entry work(.param .u64 work_out, .param .u64 work_flag)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<16>;
  .shared .align 1024 .b8 tile[4096];
  ld.param.u64 %rd1, [work_out];
  ld.param.u64 %rd6, [work_flag];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, 0;
FILL:
  st.shared.u32 [%r1], %r0;
  add.u32 %r1, %r1, 512;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p0, %r2, 8;
  @%p0 bra FILL;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
  mov.u64 %rd2, 0x1000080000;
  mov.u64 %rd3, 0x1000080080;
  setp.ne.u32 %p3, %r0, %r0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd2, %rd3, %p3, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mul.wide.u32 %rd4, %r0, 8;
  add.s64 %rd5, %rd1, %rd4;
  st.global.f32 [%rd5], %f1;
  st.global.u32 [%rd5+4], %r0;
  ${uses}
  ret;
}
`;

async function checked(uses: string, expected: (i: number) => number): Promise<CheckReport> {
  const launch = harness({
    entry: 'work',
    launches: 1,
    ranks: 1,
    grid: 1,
    block: 128,
    setup({ alloc }) {
      const out = alloc('out', u32, 256);
      const flag = alloc('flag', u32, 2);
      return { args: [out, flag], expect: () => out.equals(expected) };
    },
  });
  const kernel = translate(launch, text(uses), { name: 'work.ptx' });
  return check({ ranks: 1, strategy: 'random', schedules: 1 }, harnessProgram(launch, kernel));
}

const names = ({ approximations }: CheckReport): readonly string[] => approximations.map(({ how }) => how);
const wgmma = 'the values of wgmma as unknown';

describe('unknown values', () => {
  it('make a comparison incomplete, and not wrong', async () => {
    const report = await checked('', (i) => i);
    expect(report.verdict).toBe('incomplete');
    expect(report.findings.map(({ kind, message }) => [kind, message])).toEqual([
      [
        'incomplete',
        expect.stringMatching(
          /^the result cannot be judged, because the kernels have the values of wgmma as unknown: el/u,
        ),
      ],
    ]);
  });

  it.each(
    (
      [
        ['', []],
        [
          'mov.b32 %r3, %f2;\n  setp.gt.u32 %p1, %r3, 5;\n  @%p1 bra SKIP;\n  st.global.u32 [%rd5], 1;\nSKIP:',
          ['a branch on unknown values as the one that their stand-ins take'],
        ],
        [
          'mov.b32 %r3, %f2;\n  st.shared.u32 [tile], %r3;\n  bar.sync 0;\n  ld.shared.u32 %r4, [tile];\n  and.b32 %r4, %r4, 1;\n  mul.wide.u32 %rd7, %r4, 4;\n  add.s64 %rd8, %rd6, %rd7;\n  ld.global.u32 %r5, [%rd8];\n  st.global.u32 [%rd5+4], %r5;',
          ['an address of unknown values as that of their stand-ins'],
        ],
        [
          'mov.b32 %r3, %f2;\n  st.release.sys.global.u32 [%rd6], %r3;',
          ['a synchronization word of unknown values as that of their stand-ins'],
        ],
        ['st.release.sys.global.u32 [%rd6], 1;', []],
      ] satisfies [string, string[]][]
    ).filter((_, i) => (i % 3 === 0) !== inject('slow')),
  )('are named where they decide something: %s', async (uses, hows) => {
    expect(names(await checked(uses, (i) => i))).toEqual([...hows, wgmma].toSorted());
  });
});
