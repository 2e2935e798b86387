import { sim } from '@nccl-ts/backend-sim';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/*
 * Triton's loop around an atomic: one thread polls, and gives the value to its CTA through shared
 * memory, with a barrier of the CTA in each round.
 */
const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flag, .param .u64 peer, .param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b8 sm[64];
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [peer];
  ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 st.release.sys.global.u32 [%rd2], 1;
L:
  bar.sync 0;
  @%p1 ld.acquire.sys.global.u32 %r2, [%rd1];
  @%p1 st.shared.u32 [sm], %r2;
  bar.sync 0;
  ld.shared.u32 %r3, [sm];
  setp.ne.u32 %p2, %r3, 1;
  @%p2 bra L;
  @%p1 st.global.u32 [%rd3], %r3;
  ret;
}
`;

describe('a poll whose value the CTA gets through shared memory', () => {
  it('lets the CTAs run for which it waits', async () => {
    const launch = harness({
      entry: 'k',
      grid: 1,
      block: 64,
      launches: 1,
      setup: ({ rank, nRanks, alloc, peer }) => {
        const flag = alloc('flag', u32, 1);
        const out = alloc('out', u32, 1);
        return { args: [flag, peer(flag, (rank + 1) % nRanks), out], expect: () => out.equals([1]) };
      },
    });
    const program = harnessProgram(launch, translate(launch, text, { name: 'k.ptx', ranks: 2 }));
    await expect(program(sim({ ranks: 2, fuel: 2 ** 12 }))).resolves.toBeUndefined();
  });
});
