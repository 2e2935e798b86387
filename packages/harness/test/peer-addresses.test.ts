import { sim } from '@nccl-ts/backend-sim';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/**
 * The second CTA stores the rank at `base + peer * stride`. The first CTA polls with a vote in each
 * round. Its warps do not reach the vote at the same time.
 */
const text = `
.version 8.0
.target sm_90
.address_size 64
.visible .entry push(.param .u64 base, .param .u64 stride, .param .u64 own, .param .u32 rank, .param .u32 peer)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [base];
  ld.param.u64 %rd2, [stride];
  ld.param.u64 %rd3, [own];
  ld.param.u32 %r1, [rank];
  ld.param.u32 %r2, [peer];
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd3;
  mov.u32 %r3, %ctaid.x;
  setp.ne.s32 %p1, %r3, 1;
  @%p1 bra WAIT;
  cvt.s64.s32 %rd6, %r2;
  mul.lo.s64 %rd7, %rd2, %rd6;
  shl.b64 %rd8, %rd7, 3;
  add.s64 %rd9, %rd4, %rd8;
  add.s32 %r4, %r1, 1;
  st.relaxed.sys.global.u32 [%rd9], %r4;
  ret;
WAIT:
  mov.u32 %r6, %tid.x;
  setp.lt.u32 %p1, %r6, 32;
  @%p1 bra POLL;
  bar.warp.sync -1;
POLL:
  ld.relaxed.sys.global.u32 %r5, [%rd5];
  setp.eq.s32 %p2, %r5, 0;
  vote.sync.any.pred %p3, %p2, -1;
  @%p3 bra POLL;
  ret;
}
`;

describe('a kernel that computes the addresses of its peers', () => {
  it.each([2, 3])('reaches each of %i ranks, and lets other CTAs run while it polls', async (ranks) => {
    const definition = harness({
      entry: 'push',
      grid: 2,
      block: 96,
      launches: 1,
      setup({ rank, nRanks, alloc, peer, rankStride }) {
        const inbox = alloc('inbox', u32, 4);
        return {
          args: [peer(inbox, 0), rankStride / 8n, inbox, rank, (rank + 1) % nRanks],
          expect: () => inbox.equals([1 + ((rank + nRanks - 1) % nRanks), 0, 0, 0]),
        };
      },
    });
    const program = harnessProgram(definition, translate(definition, text, { name: 'push.ptx' }));
    await expect(program(sim({ ranks }))).resolves.toBeUndefined();
  });
});
