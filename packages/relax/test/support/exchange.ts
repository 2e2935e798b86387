import { f32, harness, u32, type Harness } from '@nccl-ts/harness';

/**
 * Each rank reads the data of its peer between two meetings of the ranks. The fence and the barrier
 * at the beginning order nothing.
 */
export const exchange = `.version 8.5
.target sm_90
.address_size 64
.visible .entry exchange(
  .param .u64 exchange_param_0, .param .u64 exchange_param_1, .param .u64 exchange_param_2,
  .param .u64 exchange_param_3, .param .u64 exchange_param_4, .param .u32 exchange_param_5
)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [exchange_param_0];
  ld.param.u64 %rd2, [exchange_param_1];
  ld.param.u64 %rd3, [exchange_param_2];
  ld.param.u64 %rd4, [exchange_param_3];
  ld.param.u64 %rd5, [exchange_param_4];
  ld.param.u32 %r1, [exchange_param_5];
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  membar.gl;
  bar.sync 0;
  @%p1 bra READ;
  st.release.sys.global.u32 [%rd3], %r1;
FIRST:
  ld.acquire.sys.global.u32 %r3, [%rd2];
  setp.lt.u32 %p2, %r3, %r1;
  @%p2 bra FIRST;
READ:
  bar.sync 0;
  mul.wide.u32 %rd6, %r2, 4;
  add.s64 %rd7, %rd4, %rd6;
  add.s64 %rd8, %rd5, %rd6;
  ld.global.f32 %f1, [%rd7];
  st.global.f32 [%rd8], %f1;
  bar.sync 0;
  @%p1 bra END;
  st.release.sys.global.u32 [%rd3+4], %r1;
LAST:
  ld.acquire.sys.global.u32 %r4, [%rd2+4];
  setp.lt.u32 %p3, %r4, %r1;
  @%p3 bra LAST;
END:
  ret;
}
`;

/** Things that a program around the exchange lacks. */
export interface Lacks {
  /** True if all data are zeros at first, so that no input is known. */
  readonly inputs?: boolean;
  /** True if no result is compared, so that no output is known. */
  readonly outputs?: boolean;
}

/** Launches it on two ranks. */
export const exchangeHarness = (block = 64, lacks: Lacks = {}): Harness =>
  harness({
    kernel: 'exchange.ptx',
    entry: 'exchange',
    ranks: 2,
    grid: 1,
    block,
    setup({ rank, alloc, peer }) {
      const data = alloc('data', f32, 64, (i) => (lacks.inputs === true ? 0 : 1 + rank + i));
      const flags = alloc('flags', u32, 2);
      const out = alloc('out', f32, 64);
      return {
        args: (launch) => [data, flags, peer(flags, 1 - rank), peer(data, 1 - rank), out, launch + 1],
        ...(lacks.outputs === true
          ? {}
          : { expect: () => out.equals((i) => (lacks.inputs === true ? 0 : 2 - rank + i), { count: block }) }),
      };
    },
  });

/** Two threads store the same value to the same place, one before the barrier and one after it. */
export const twice = `.version 8.5
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 twice_param_0)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [twice_param_0];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 7;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  bar.sync 0;
  sub.s64 %rd4, %rd1, %rd2;
  st.global.u32 [%rd4+252], %r2;
  ret;
}
`;

/** Launches it on two ranks, which work alone. */
export const twiceHarness = harness({
  kernel: 'twice.ptx',
  entry: 'twice',
  ranks: 2,
  local: true,
  grid: 1,
  block: 64,
  setup({ alloc }) {
    const out = alloc('out', u32, 64, () => 1);
    return { args: [out], expect: () => out.equals(() => 7) };
  },
});
