import { f32, harness, u32, type Harness } from '@nccl-ts/harness';

/**
 * Each rank sends its data to its peer, raises a flag there, and waits for its own. The second flag
 * says that the data was read.
 */
export const message = `.version 8.5
.target sm_90
.address_size 64
.visible .entry message(
  .param .u64 message_param_0, .param .u64 message_param_1, .param .u64 message_param_2,
  .param .u64 message_param_3, .param .u64 message_param_4, .param .u32 message_param_5
)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [message_param_0];
  ld.param.u64 %rd2, [message_param_1];
  ld.param.u64 %rd3, [message_param_2];
  ld.param.u64 %rd4, [message_param_3];
  ld.param.u64 %rd5, [message_param_4];
  ld.param.u32 %r1, [message_param_5];
  mov.u32 %r2, %tid.x;
  mov.u32 %r4, %ctaid.x;
  setp.ne.u32 %p1, %r2, 0;
  mul.wide.u32 %rd10, %r4, 8;
  add.s64 %rd2, %rd2, %rd10;
  add.s64 %rd3, %rd3, %rd10;
  mad.lo.u32 %r5, %r4, 64, %r2;
  mul.wide.u32 %rd6, %r5, 4;
  add.s64 %rd7, %rd4, %rd6;
  add.s64 %rd8, %rd1, %rd6;
  add.s64 %rd9, %rd5, %rd6;
  cvt.rn.f32.u32 %f1, %r5;
  st.global.f32 [%rd7], %f1;
  bar.sync 0;
  @%p1 bra READ;
  st.release.sys.global.u32 [%rd3], %r1;
WAIT:
  ld.acquire.sys.global.u32 %r3, [%rd2];
  setp.lt.u32 %p2, %r3, %r1;
  @%p2 bra WAIT;
READ:
  bar.sync 0;
  ld.global.f32 %f2, [%rd8];
  st.global.f32 [%rd9], %f2;
  bar.sync 0;
  @%p1 bra END;
  st.release.sys.global.u32 [%rd3+4], %r1;
LAST:
  ld.acquire.sys.global.u32 %r3, [%rd2+4];
  setp.lt.u32 %p3, %r3, %r1;
  @%p3 bra LAST;
END:
  ret;
}
`;

/** Launches it on two ranks, with the memory of two CTAs. `isExpected`: results are compared. */
export const messageHarness = (block = 64, isExpected = true): Harness =>
  harness({
    kernel: 'message.ptx',
    entry: 'message',
    ranks: 2,
    grid: 1,
    block,
    setup({ rank, alloc, peer }) {
      const inbox = alloc('inbox', f32, 128);
      const flags = alloc('flags', u32, 4);
      const out = alloc('out', f32, 128);
      return {
        args: (launch) => [inbox, flags, peer(flags, 1 - rank), peer(inbox, 1 - rank), out, launch + 1],
        ...(isExpected ? { expect: () => out.equals((i) => i, { count: block }) } : {}),
      };
    },
  });
