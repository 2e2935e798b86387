/** A PTX text of some functions. */
export function moduleText(...functions: readonly string[]): string {
  return `.version 8.5\n.target sm_90\n.address_size 64\n${functions.join('\n')}\n`;
}

/** Stores `epoch` to each rank's word for this one, and waits until all have done so. */
export const barrierText = `.visible .entry barrier(.param .u64 all, .param .u64 own, .param .u32 rank, .param .u32 nRanks, .param .u32 epoch)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [all];
  ld.param.u64 %rd2, [own];
  ld.param.u32 %r1, [rank];
  ld.param.u32 %r2, [nRanks];
  ld.param.u32 %r3, [epoch];
  mul.wide.u32 %rd3, %r1, 4;
  mov.u32 %r4, 0;
SEND:
  mul.wide.u32 %rd4, %r4, 8;
  add.s64 %rd4, %rd1, %rd4;
  ld.global.u64 %rd5, [%rd4];
  add.s64 %rd5, %rd5, %rd3;
  st.release.sys.global.u32 [%rd5], %r3;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r2;
  @%p1 bra SEND;
  mov.u32 %r4, 0;
NEXT:
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd4, %rd2, %rd4;
WAIT:
  ld.acquire.sys.global.u32 %r5, [%rd4];
  setp.lt.u32 %p2, %r5, %r3;
  @%p2 bra WAIT;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r2;
  @%p1 bra NEXT;
  ret;
}`;

/** Sums one word for each thread over all ranks. */
export const mainText = `.visible .entry sum(.param .u64 datas, .param .u64 out, .param .u32 nRanks)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [datas];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [nRanks];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
MORE:
  mul.wide.u32 %rd4, %r4, 8;
  add.s64 %rd4, %rd1, %rd4;
  ld.global.u64 %rd5, [%rd4];
  add.s64 %rd5, %rd5, %rd3;
  ld.global.u32 %r5, [%rd5];
  add.u32 %r3, %r3, %r5;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r1;
  @%p1 bra MORE;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r3;
  ret;
}`;

/** Copies a word of its own to a peer, and raises the peer's flag to `epoch`. */
export const sendText = `.visible .entry send(.param .u64 own, .param .u64 far, .param .u64 flag, .param .u32 epoch)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [own];
  ld.param.u64 %rd2, [far];
  ld.param.u64 %rd3, [flag];
  ld.param.u32 %r1, [epoch];
  ld.global.u32 %r2, [%rd1];
  st.global.u32 [%rd2], %r2;
  st.release.sys.global.u32 [%rd3], %r1;
  ret;
}`;

/** Waits until its flag is at `epoch`, and copies the word that the peer has sent to `out`. */
export const receiveText = `.visible .entry receive(.param .u64 inbox, .param .u64 flag, .param .u64 out, .param .u32 epoch)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [inbox];
  ld.param.u64 %rd2, [flag];
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r1, [epoch];
WAIT:
  ld.acquire.sys.global.u32 %r2, [%rd2];
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra WAIT;
  ld.global.u32 %r3, [%rd1];
  st.global.u32 [%rd3], %r3;
  ret;
}`;

/** Adds a constant to a word, as a compiler writes it that takes the rank as a constant. */
export function addsText(name: string, constant: number): string {
  return `.visible .entry ${name}(.param .u64 word)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [word];
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, ${constant};
  st.global.u32 [%rd1], %r1;
  ret;
}`;
}
