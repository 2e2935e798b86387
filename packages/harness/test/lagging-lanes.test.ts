import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/**
 * A ring of one slot. All lanes of warp 0 wait until the slot is empty, and lane 0 fills it. Warp 1
 * empties it. `after` stands between the wait of warp 0 and the store.
 */
const ring = (after: string): string => `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
  .shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 4 .b32 slot;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, full; mov.u32 %r3, empty;
  and.b32 %r4, %r1, 31; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r4, 0; setp.lt.u32 %p3, %r1, 32;
  @%p1 mbarrier.init.shared::cta.b64 [%r2], 1; @%p1 mbarrier.init.shared::cta.b64 [%r3], 1; bar.sync 0;
  mov.u32 %r5, 0;
ROUND:
  and.b32 %r6, %r5, 1; xor.b32 %r7, %r6, 1;
  @!%p3 bra CONSUMER;
P: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r3], %r7; @!%p4 bra P;
  ${after}
  @%p2 st.shared.u32 [slot], %r5; @%p2 mbarrier.arrive.shared::cta.b64 _, [%r2];
  bra NEXT;
CONSUMER:
C: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2], %r6; @!%p4 bra C;
  ld.shared.u32 %r8, [slot];
  mad.lo.u32 %r9, %r5, 64, %r1; mul.wide.u32 %rd2, %r9, 4; add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r8;
  bar.warp.sync 0xffffffff;
  @%p2 mbarrier.arrive.shared::cta.b64 _, [%r3];
NEXT:
  add.u32 %r5, %r5, 1; setp.lt.u32 %p5, %r5, 3; @%p5 bra ROUND;
  ret;
}
`;

async function checked(text: string): Promise<CheckReport> {
  const launch = harness({
    entry: 'k',
    launches: 1,
    ranks: 1,
    local: true,
    grid: 1,
    block: 64,
    setup: ({ alloc }) => ({ args: [alloc('out', u32, 192)] }),
  });
  return check({ ranks: 1, local: true }, harnessProgram(launch, translate(launch, text, { name: 'ring.ptx' })));
}

describe('a lane that lags behind its warp', () => {
  it('waits without end for a phase of an mbarrier that two later ones have overrun', async () => {
    expect((await checked(ring(''))).verdict).toBe('deadlock');
  });

  it('is never overrun if its warp synchronizes before the phase ends', async () => {
    expect((await checked(ring('bar.warp.sync 0xffffffff;'))).verdict).toBe('clean');
  });
});
