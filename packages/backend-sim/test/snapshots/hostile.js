'use strict';
const accessFault = support.accessFault;
const assertFault = support.assertFault;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const p0 = args[0];
const p1 = args[1];
function threads0(cta) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const g_f32 = host.heap.f32;
  const c0 = (numberField(p0, strings[0]) | 0);
  const c1 = (numberField(p0, strings[0]) | 0);
  const c2 = (peerBase(p1, c1) + 0);
  const c3 = peerRegion(p1, c1);
  const c4 = (c2 + 0);
  const c5 = (0 + 63);
  const c6 = (c4 + 4 * 63);
  const c7 = (c4 / 4 | 0);
  const c15 = (c2 + 1024);
  const c16 = (c15 + 16 * 63);
  const c17 = (c15 / 4 | 0);
  const c18 = (numberField(p0, strings[0]) | 0);
  const c19 = (peerBase(p1, c18) + 0);
  const c20 = peerRegion(p1, c18);
  const c30 = (numberField(p0, strings[0]) | 0);
  const c31 = (peerBase(p1, c30) + 1024);
  const c32 = peerRegion(p1, c30);
  if (c5 >= 0 && c5 <= 4294967295 && c4 >= g_low[c3] && c6 + 4 <= g_high[c3] && (c4 & 3) === 0 && c6 <= 8589934584 && c15 >= g_low[c3] && c16 + 16 <= g_high[c3] && (c15 & 15) === 0 && c16 <= 8589934572) {
    threads: for (let t = 0; t < 64; t++) {
      let v1_constructor = 0;
      let v2_return_0 = 0;
      let v2_return_1 = 0;
      let v2_return_2 = 0;
      let v2_return_3 = 0;
      const m8 = g_u32[(c7 + t | 0)];
      v1_constructor = m8;
      const c9 = Math.fround(v1_constructor);
      v2_return_0 = c9;
      v2_return_1 = c9;
      v2_return_2 = c9;
      v2_return_3 = c9;
      const c10 = (v1_constructor < 100);
      if (!c10) assertFault(cta, t, 1, strings[1]);
      host.print(cta.identity, t, [strings[2], v1_constructor, v2_return_0, v2_return_1, v2_return_2, v2_return_3]);
      const c11 = Math.fround(v2_return_0 + v2_return_0);
      const c12 = Math.fround(v2_return_1 + v2_return_1);
      const c13 = Math.fround(v2_return_2 + v2_return_2);
      const c14 = Math.fround(v2_return_3 + v2_return_3);
      g_f32[(c17 + (t << 2) | 0)] = c11;
      g_f32[(c17 + (t << 2) | 0) + 1] = c12;
      g_f32[(c17 + (t << 2) | 0) + 2] = c13;
      g_f32[(c17 + (t << 2) | 0) + 3] = c14;
    }
    return;
  }
  threads: for (let t = 0; t < 64; t++) {
    let v1_constructor = 0;
    let v2_return_0 = 0;
    let v2_return_1 = 0;
    let v2_return_2 = 0;
    let v2_return_3 = 0;
    const v0_aglobalThispwned1 = t;
    const c21 = (c19 + v0_aglobalThispwned1 * 4);
    if (!(c21 >= g_low[c20] && c21 + 4 <= g_high[c20]) || (c21 & 3) !== 0) accessFault(cta, t, 0, 4, 'global', c21, c20, g_low, g_high);
    const i22 = c21 >>> 2;
    const m23 = g_u32[i22];
    v1_constructor = m23;
    const c24 = Math.fround(v1_constructor);
    v2_return_0 = c24;
    v2_return_1 = c24;
    v2_return_2 = c24;
    v2_return_3 = c24;
    const c25 = (v1_constructor < 100);
    if (!c25) assertFault(cta, t, 1, strings[1]);
    host.print(cta.identity, t, [strings[2], v1_constructor, v2_return_0, v2_return_1, v2_return_2, v2_return_3]);
    const c26 = Math.fround(v2_return_0 + v2_return_0);
    const c27 = Math.fround(v2_return_1 + v2_return_1);
    const c28 = Math.fround(v2_return_2 + v2_return_2);
    const c29 = Math.fround(v2_return_3 + v2_return_3);
    const c33 = (c31 + v0_aglobalThispwned1 * 16);
    if (!(c33 >= g_low[c32] && c33 + 16 <= g_high[c32]) || (c33 & 15) !== 0) accessFault(cta, t, 2, 16, 'global', c33, c32, g_low, g_high);
    const i34 = c33 >>> 2;
    g_f32[i34] = c26;
    g_f32[i34 + 1] = c27;
    g_f32[i34 + 2] = c28;
    g_f32[i34 + 3] = c29;
  }
}
function resume(cta) {
  let pc = cta.pc;
  run: for (;;) {
    switch (pc) {
      case 0: {
        threads0(cta);
      }
      pc = 2;
      continue run;
      default:
      cta.pc = 2;
      return 'done';
    }
  }
}
function canResume(cta) {
  switch (cta.pc) {
    default:
    return true;
  }
}
function waiting(cta) {
  switch (cta.pc) {
    default:
    return [];
  }
}
function start(identity) {
  return {
    identity,
    pc: 0,
  };
}
return { start, resume, canResume, waiting };
