'use strict';
const accessFault = support.accessFault;
const assertFault = support.assertFault;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const p0 = args[0];
const p1 = args[1];
const field0 = numberField(p0, strings[0]);
function threads0(cta) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const g_f32 = host.heap.f32;
  const c0 = (field0 | 0);
  const c1 = peerBase(p1, c0);
  const c2 = peerRegion(p1, c0);
  const c3 = (c1 + 0);
  const c4 = (0 + 63);
  const c5 = (c3 + 4 * 63);
  const c6 = (c3 / 4 | 0);
  const c14 = (c1 + 1024);
  const c15 = (c14 + 16 * 63);
  const c16 = (c14 / 4 | 0);
  const c17 = (field0 | 0);
  const c18 = (peerBase(p1, c17) + 0);
  const c19 = peerRegion(p1, c17);
  const c29 = (field0 | 0);
  const c30 = (peerBase(p1, c29) + 1024);
  const c31 = peerRegion(p1, c29);
  if (c4 >= 0 && c4 <= 4294967295 && c3 >= g_low[c2] && c5 + 4 <= g_high[c2] && (c3 & 3) === 0 && c5 <= 8589934584 && c14 >= g_low[c2] && c15 + 16 <= g_high[c2] && (c14 & 15) === 0 && c15 <= 8589934572) {
    threads: for (let t = 0; t < 64; t++) {
      let v1_constructor = 0;
      let v2_return_0 = 0;
      let v2_return_1 = 0;
      let v2_return_2 = 0;
      let v2_return_3 = 0;
      const m7 = g_u32[(c6 + t | 0)];
      v1_constructor = m7;
      const c8 = Math.fround(v1_constructor);
      v2_return_0 = c8;
      v2_return_1 = c8;
      v2_return_2 = c8;
      v2_return_3 = c8;
      const c9 = (v1_constructor < 100);
      if (!c9) assertFault(cta, t, 1, strings[1]);
      host.print(cta.identity, t, [strings[2], v1_constructor, v2_return_0, v2_return_1, v2_return_2, v2_return_3]);
      const c10 = Math.fround(v2_return_0 + v2_return_0);
      const c11 = Math.fround(v2_return_1 + v2_return_1);
      const c12 = Math.fround(v2_return_2 + v2_return_2);
      const c13 = Math.fround(v2_return_3 + v2_return_3);
      g_f32[(c16 + (t << 2) | 0)] = c10;
      g_f32[(c16 + (t << 2) | 0) + 1] = c11;
      g_f32[(c16 + (t << 2) | 0) + 2] = c12;
      g_f32[(c16 + (t << 2) | 0) + 3] = c13;
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
    const c20 = (c18 + v0_aglobalThispwned1 * 4);
    if (!(c20 >= g_low[c19] && c20 + 4 <= g_high[c19]) || (c20 & 3) !== 0) accessFault(cta, t, 0, 4, 'global', c20, c19, g_low, g_high);
    const i21 = c20 >>> 2;
    const m22 = g_u32[i21];
    v1_constructor = m22;
    const c23 = Math.fround(v1_constructor);
    v2_return_0 = c23;
    v2_return_1 = c23;
    v2_return_2 = c23;
    v2_return_3 = c23;
    const c24 = (v1_constructor < 100);
    if (!c24) assertFault(cta, t, 1, strings[1]);
    host.print(cta.identity, t, [strings[2], v1_constructor, v2_return_0, v2_return_1, v2_return_2, v2_return_3]);
    const c25 = Math.fround(v2_return_0 + v2_return_0);
    const c26 = Math.fround(v2_return_1 + v2_return_1);
    const c27 = Math.fround(v2_return_2 + v2_return_2);
    const c28 = Math.fround(v2_return_3 + v2_return_3);
    const c32 = (c30 + v0_aglobalThispwned1 * 16);
    if (!(c32 >= g_low[c31] && c32 + 16 <= g_high[c31]) || (c32 & 15) !== 0) accessFault(cta, t, 2, 16, 'global', c32, c31, g_low, g_high);
    const i33 = c32 >>> 2;
    g_f32[i33] = c25;
    g_f32[i33 + 1] = c26;
    g_f32[i33 + 2] = c27;
    g_f32[i33 + 3] = c28;
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
