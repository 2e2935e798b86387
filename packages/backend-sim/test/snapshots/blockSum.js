'use strict';
const accessFault = support.accessFault;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const shflDown = support.shflDown;
const p0 = args[0];
const p1 = args[1];
const sharedLow = Float64Array.of(0, 16);
const sharedHigh = Float64Array.of(0, 144);
function threads0(cta) {
  const each_v0_sum = cta.each_v0_sum;
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = 0;
    v0_sum = ((t + 1) >>> 0);
    each_v0_sum[t] = v0_sum;
  }
}
function meet1(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    cta.meet_Uint32Array_0[t] = v0_sum;
    cta.meet_lane[t] = 16;
  }
  for (let t = 0; t < 64; t++) {
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32, 64)];
    each_v1_other[t] = v1_other;
  }
}
function threads2(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    let v1_other = each_v1_other[t];
    v0_sum = ((v0_sum + v1_other) >>> 0);
    each_v0_sum[t] = v0_sum;
  }
}
function meet3(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    cta.meet_Uint32Array_0[t] = v0_sum;
    cta.meet_lane[t] = 8;
  }
  for (let t = 0; t < 64; t++) {
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32, 64)];
    each_v1_other[t] = v1_other;
  }
}
function threads4(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    let v1_other = each_v1_other[t];
    v0_sum = ((v0_sum + v1_other) >>> 0);
    each_v0_sum[t] = v0_sum;
  }
}
function meet5(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    cta.meet_Uint32Array_0[t] = v0_sum;
    cta.meet_lane[t] = 4;
  }
  for (let t = 0; t < 64; t++) {
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32, 64)];
    each_v1_other[t] = v1_other;
  }
}
function threads6(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    let v1_other = each_v1_other[t];
    v0_sum = ((v0_sum + v1_other) >>> 0);
    each_v0_sum[t] = v0_sum;
  }
}
function meet7(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    cta.meet_Uint32Array_0[t] = v0_sum;
    cta.meet_lane[t] = 2;
  }
  for (let t = 0; t < 64; t++) {
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32, 64)];
    each_v1_other[t] = v1_other;
  }
}
function threads8(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    let v1_other = each_v1_other[t];
    v0_sum = ((v0_sum + v1_other) >>> 0);
    each_v0_sum[t] = v0_sum;
  }
}
function meet9(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    cta.meet_Uint32Array_0[t] = v0_sum;
    cta.meet_lane[t] = 1;
  }
  for (let t = 0; t < 64; t++) {
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32, 64)];
    each_v1_other[t] = v1_other;
  }
}
function threads10(cta) {
  const each_v0_sum = cta.each_v0_sum;
  const each_v1_other = cta.each_v1_other;
  const s_low = sharedLow;
  const s_high = sharedHigh;
  const s_u32 = cta.shared.u32;
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = each_v0_sum[t];
    let v1_other = each_v1_other[t];
    v0_sum = ((v0_sum + v1_other) >>> 0);
    if (((t & 31) === 0)) {
      const c0 = (16 + ((t / 32) >>> 0) * 4);
      if (!(c0 >= s_low[1] && c0 + 4 <= s_high[1]) || (c0 & 3) !== 0) accessFault(cta, t, 1, 4, 'shared', c0, 1, s_low, s_high);
      const i1 = c0 >>> 2;
      s_u32[i1] = v0_sum;
    }
  }
}
function threads11(cta) {
  const s_low = sharedLow;
  const s_high = sharedHigh;
  const s_u32 = cta.shared.u32;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const c0 = (16 / 4 | 0);
  const c2 = (16 + 1 * 4);
  const c3 = (c2 / 4 | 0);
  const c5 = (numberField(p0, strings[0]) | 0);
  const c6 = (numberField(p0, strings[0]) | 0);
  const c7 = (peerBase(p1, c6) + 0);
  const c8 = peerRegion(p1, c6);
  const c9 = (c7 + 0);
  const c10 = (0 + 63);
  const c11 = (c9 + 4 * 63);
  const c12 = (c9 / 4 | 0);
  const c17 = (numberField(p0, strings[0]) | 0);
  const c18 = (peerBase(p1, c17) + 0);
  const c19 = peerRegion(p1, c17);
  if (16 >= s_low[1] && 16 + 4 <= s_high[1] && (16 & 3) === 0 && 16 <= 8589934584 && c2 >= s_low[1] && c2 + 4 <= s_high[1] && (c2 & 3) === 0 && c2 <= 8589934584 && c10 >= 0 && c10 <= 4294967295 && c9 >= g_low[c8] && c11 + 4 <= g_high[c8] && (c9 & 3) === 0 && c11 <= 8589934584) {
    threads: for (let t = 0; t < 64; t++) {
      let v0_sum = 0;
      let v1_other = 0;
      v0_sum = 0;
      const m1 = s_u32[c0];
      v1_other = m1;
      v0_sum = ((v0_sum + v1_other) >>> 0);
      const m4 = s_u32[c3];
      v1_other = m4;
      v0_sum = ((v0_sum + v1_other) >>> 0);
      g_u32[(c12 + t | 0)] = v0_sum;
    }
    return;
  }
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = 0;
    let v1_other = 0;
    v0_sum = 0;
    if (!(16 >= s_low[1] && 16 + 4 <= s_high[1]) || (16 & 3) !== 0) accessFault(cta, t, 2, 4, 'shared', 16, 1, s_low, s_high);
    const i13 = 16 >>> 2;
    const m14 = s_u32[i13];
    v1_other = m14;
    v0_sum = ((v0_sum + v1_other) >>> 0);
    if (!(c2 >= s_low[1] && c2 + 4 <= s_high[1]) || (c2 & 3) !== 0) accessFault(cta, t, 2, 4, 'shared', c2, 1, s_low, s_high);
    const i15 = c2 >>> 2;
    const m16 = s_u32[i15];
    v1_other = m16;
    v0_sum = ((v0_sum + v1_other) >>> 0);
    const c20 = (c18 + t * 4);
    if (!(c20 >= g_low[c19] && c20 + 4 <= g_high[c19]) || (c20 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c20, c19, g_low, g_high);
    const i21 = c20 >>> 2;
    g_u32[i21] = v0_sum;
  }
}
function resume(cta) {
  let pc = cta.pc;
  let v2_step = cta.all_v2_step;
  let v3_w = cta.all_v3_w;
  run: for (;;) {
    switch (pc) {
      case 0: {
        v2_step = 16;
        threads0(cta);
        meet1(cta);
        threads2(cta);
        meet3(cta);
        threads4(cta);
        meet5(cta);
        threads6(cta);
        meet7(cta);
        threads8(cta);
        meet9(cta);
        v2_step = 0;
        threads10(cta);
        v3_w = 0;
        v3_w = 2;
        threads11(cta);
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
    each_v0_sum: new Uint32Array(64),
    meet_Uint32Array_0: new Uint32Array(64),
    meet_lane: new Float64Array(64),
    each_v1_other: new Uint32Array(64),
    all_v2_step: 0,
    all_v3_w: 0,
    shared: support.views(144),
  };
}
return { start, resume, canResume, waiting };
