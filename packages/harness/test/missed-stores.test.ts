import { check } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { expect, it } from 'vitest';

/** CTA 0 stores and tells CTA 1, which copies the bytes and stores what has come. */
const text = (fence: string): string => `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
  .shared .align 16 .b8 part[16]; .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [mem]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra COPY;
  mov.u32 %r2, 7; st.global.u32 [%rd1], %r2; mov.u32 %r2, 1; st.release.gpu.global.u32 [%rd1+16], %r2; ret;
COPY:
  mov.u32 %r3, part; mov.u32 %r4, bar;
  mbarrier.init.shared::cta.b64 [%r4], 1; fence.proxy.async.shared::cta;
W: ld.acquire.gpu.global.u32 %r5, [%rd1+16]; setp.eq.u32 %p2, %r5, 0; @%p2 bra W;
  ${fence}
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 16, [%r4];
V: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r4], 0; @!%p3 bra V;
  ld.shared.u32 %r6, [%r3]; st.global.u32 [%rd2], %r6; ret;
}
`;

const launch = harness({
  entry: 'k',
  launches: 1,
  ranks: 1,
  local: true,
  grid: 2,
  block: 1,
  setup: ({ alloc }) => {
    const [mem, out] = [alloc('mem', u32, 8), alloc('out', u32, 1)];
    return { args: [mem, out], expect: () => out.equals(() => 7) };
  },
});

it('the result of a copy that misses a store is a warning, as is the missing fence', async () => {
  for (const [fence, strict, verdict, severities] of [
    ['fence.proxy.async.global;', false, 'clean', []],
    ['', false, 'clean', ['model', 'model']],
    ['', true, 'race', ['error']],
  ] as const) {
    const program = harnessProgram(launch, translate(launch, text(fence), { name: 'k.ptx' }));
    const report = await check({ ranks: 1, local: true, strict }, program);
    expect([report.verdict, ...report.findings.map(({ severity }) => severity)]).toEqual([verdict, ...severities]);
  }
});

/** The last of two CTAs, as an atomic says, adds up what both have stored. */
const sums = (fence: string): string => `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u64 out)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [mem]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; mov.u32 %r2, 1; st.volatile.global.u32 [%rd4], %r2;
  ${fence}
  atom.global.add.u32 %r3, [%rd1+16], 1; setp.ne.u32 %p1, %r3, 1; @%p1 ret;
  ld.volatile.global.u32 %r4, [%rd1]; ld.volatile.global.u32 %r5, [%rd1+4]; add.u32 %r6, %r4, %r5;
  st.global.u32 [%rd2], %r6; ret;
}
`;

it('the result of a load that an atomic decides on is a warning only if the store is fenced', async () => {
  const twice = harness({
    entry: 'k',
    launches: 1,
    ranks: 1,
    local: true,
    grid: 2,
    block: 1,
    setup: ({ alloc }) => {
      const [mem, out] = [alloc('mem', u32, 8), alloc('out', u32, 1)];
      return { args: [mem, out], expect: () => out.equals(() => 2) };
    },
  });
  for (const [fence, strict, verdict, severity] of [
    ['membar.gl;', false, 'clean', 'model'],
    ['membar.gl;', true, 'fault', 'error'],
    ['', false, 'fault', 'error'],
  ] as const) {
    const program = harnessProgram(twice, translate(twice, sums(fence), { name: 'k.ptx' }));
    const { verdict: found, findings } = await check({ ranks: 1, local: true, strict }, program);
    expect([found, ...new Set(findings.map((one) => one.severity))]).toEqual([verdict, severity]);
  }
});
