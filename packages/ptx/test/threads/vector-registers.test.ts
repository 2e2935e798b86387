import { expect, it } from 'vitest';
import { runText, workEntry } from './support/run-text.ts';

it('moves whole vectors, and names their components', async () => {
  const text = workEntry(`
  .reg .v4 .b32 %acc, %tmp;
  mov.v4.b32 %acc, 7;
  ld.global.v2.u64 {%rd1, %rd2}, [%in];
  mov.b64 {%tmp.x, %tmp.y}, %rd1;
  mov.b64 {%tmp.z, %tmp.w}, %rd2;
  add.u32 %acc.x, %acc.x, %tmp.x;
  add.u32 %acc.w, %acc.w, %tmp.w;
  st.global.v4.b32 [%out], %acc;
  mov.v4.b32 %tmp, %acc;
  st.global.v4.b32 [%out+16], {%tmp.r, %tmp.g, %tmp.b, %tmp.a};
  mov.v4.b32 {%r1, %r2, %r3, %r4}, {%acc.w, %acc.z, %acc.y, %acc.x};
  st.global.v4.b32 [%out+32], {%r1, %r2, %r3, %r4};`);
  const words = await runText(text, { block: 1, given: [10, 20, 30, 40] });
  expect(words.slice(0, 12)).toEqual([17, 7, 7, 47, 17, 7, 7, 47, 47, 7, 7, 17]);
});

it('packs floats of 4 bits from registers of a byte', async () => {
  const text = workEntry(`
  .reg .b8 %b<4>;
  mov.f32 %f1, 0f3FC00000;
  mov.f32 %f2, 0fC0C00000;
  cvt.rn.satfinite.e2m1x2.f32 %b0, %f1, %f2;
  cvt.rn.satfinite.e2m1x2.f32 %b1, %f2, %f2;
  mov.b32 %r1, {%b0, %b1, %b0, %b1};
  st.global.u32 [%out], %r1;
  cvt.rn.f16x2.e2m1x2 %r2, %b0;
  st.global.u32 [%out+4], %r2;`);
  // 1.5 is 3, and -6 is 15.
  expect((await runText(text, { block: 1 })).slice(0, 2)).toEqual([0xff3fff3f, 0x3e00c600]);
});
