import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { expect, it } from 'vitest';

/** Each rank stores to the other, tells it, and looks at its own flag for some rounds. */
const text = (rounds: number): string => `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 theirs, .param .u64 flag, .param .u64 told)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [theirs]; ld.param.u64 %rd3, [flag]; ld.param.u64 %rd4, [told];
  mov.u32 %r1, 7; st.global.u32 [%rd2], %r1;
  mov.u32 %r2, 1; st.release.sys.global.u32 [%rd4], %r2;
  mov.u32 %r3, 0;
L: ld.acquire.sys.global.u32 %r4, [%rd3]; setp.ne.u32 %p1, %r4, 0; @%p1 bra D;
  add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, ${rounds}; @%p2 bra L;
D: ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd3+8], %r5; ret;
}
`;

const launch = harness({
  entry: 'k',
  launches: 1,
  ranks: 2,
  grid: 1,
  block: 1,
  setup: ({ alloc, peer, rank }) => {
    const [data, flag] = [alloc('data', u32, 1), alloc('flag', u32, 4)];
    return { args: [data, peer(data, 1 - rank), flag, peer(flag, 1 - rank)] };
  },
});

it.each([20, 100, 5000])(
  'a kernel that goes on after %i looks at a flag races, and the help says so',
  async (rounds) => {
    const program = harnessProgram(launch, translate(launch, text(rounds), { name: 'k.ptx' }));
    const report = await check({ ranks: 2 }, program);
    expect(report.verdict).toBe('race');
    const rendered = renderReport(report).replaceAll(/\s+/g, ' ');
    expect(rendered).toMatch(/gives up when 'flag', .* is still 0, and the load follows all the same/);
    expect(rendered).toContain('after a wait that gave up, leave out the load');
  },
);
