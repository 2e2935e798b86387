'use strict';
const accessFault = support.accessFault;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const shflDown = support.shflDown;
const p0 = args[0];
const p1 = args[1];
const field0 = numberField(p0, strings[0]);
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
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32)];
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
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32)];
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
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32)];
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
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32)];
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
    const v1_other = cta.meet_Uint32Array_0[shflDown(t, cta.meet_lane[t], 32)];
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
  const c5 = (field0 | 0);
  const c6 = peerBase(p1, c5);
  const c7 = peerRegion(p1, c5);
  const c8 = (c6 + 0);
  const c9 = (0 + 63);
  const c10 = (c8 + 4 * 63);
  const c11 = (c8 / 4 | 0);
  const c16 = (field0 | 0);
  const c17 = (peerBase(p1, c16) + 0);
  const c18 = peerRegion(p1, c16);
  if (16 >= s_low[1] && 16 + 4 <= s_high[1] && (16 & 3) === 0 && 16 <= 8589934584 && c2 >= s_low[1] && c2 + 4 <= s_high[1] && (c2 & 3) === 0 && c2 <= 8589934584 && c9 >= 0 && c9 <= 4294967295 && c8 >= g_low[c7] && c10 + 4 <= g_high[c7] && (c8 & 3) === 0 && c10 <= 8589934584) {
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
      g_u32[(c11 + t | 0)] = v0_sum;
    }
    return;
  }
  threads: for (let t = 0; t < 64; t++) {
    let v0_sum = 0;
    let v1_other = 0;
    v0_sum = 0;
    if (!(16 >= s_low[1] && 16 + 4 <= s_high[1]) || (16 & 3) !== 0) accessFault(cta, t, 2, 4, 'shared', 16, 1, s_low, s_high);
    const i12 = 16 >>> 2;
    const m13 = s_u32[i12];
    v1_other = m13;
    v0_sum = ((v0_sum + v1_other) >>> 0);
    if (!(c2 >= s_low[1] && c2 + 4 <= s_high[1]) || (c2 & 3) !== 0) accessFault(cta, t, 2, 4, 'shared', c2, 1, s_low, s_high);
    const i14 = c2 >>> 2;
    const m15 = s_u32[i14];
    v1_other = m15;
    v0_sum = ((v0_sum + v1_other) >>> 0);
    const c19 = (c17 + t * 4);
    if (!(c19 >= g_low[c18] && c19 + 4 <= g_high[c18]) || (c19 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c19, c18, g_low, g_high);
    const i20 = c19 >>> 2;
    g_u32[i20] = v0_sum;
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
