'use strict';
const accessFault = support.accessFault;
const fuelFault = support.fuelFault;
const isLate = support.isLate;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const p0 = args[0];
const p1 = args[1];
const p2 = args[2];
const field0 = numberField(p0, strings[0]);
function threads0(cta, v9_epoch) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  v9_epoch = v9_epoch >>> 0;
  const c0 = (0 | 0);
  const c2 = (((Math.imul(blockIdx_x, 2) >>> 0) + ((field0 | 0) >>> 0)) >>> 0);
  threads: for (let t = 0; t < 64; t++) {
    if ((t < 2)) {
      const c1 = (t | 0);
      const c3 = ((peerBase(p1, c1) + 4096) + c2 * 4);
      const c4 = peerRegion(p1, c1);
      if (!(c3 >= g_low[c4] && c3 + 4 <= g_high[c4]) || (c3 & 3) !== 0) accessFault(cta, t, 0, 4, 'global', c3, c4, g_low, g_high);
      const i5 = c3 >>> 2;
      g_u32[i5] = v9_epoch;
    }
  }
}
function test1(cta, t, index) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  let v7_i = index;
  let v8_got = 0;
  const v9_epoch = cta.all_v9_epoch;
  const c0 = (field0 | 0);
  const c1 = ((peerBase(p1, c0) + 4096) + (((Math.imul(blockIdx_x, 2) >>> 0) + v7_i) >>> 0) * 4);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  v8_got = m4;
  return (((v8_got - v9_epoch) >>> 0) <= 2147483647);
}
function explain1(cta, t, index) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const words = [];
  let v7_i = index;
  let v8_got = 0;
  const v9_epoch = cta.all_v9_epoch;
  const c0 = (field0 | 0);
  const c1 = ((peerBase(p1, c0) + 4096) + (((Math.imul(blockIdx_x, 2) >>> 0) + v7_i) >>> 0) * 4);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  words.push({ address: c1, region: c2, space: 'global', type: 'u32', value: m4 });
  v8_got = m4;
  let needed = '';
  needed = String(v9_epoch) + ' (rolling, 32 bits)';
  return { words, needed };
}
function threads2(cta, count, at3) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_f32 = host.heap.f32;
  const c0 = peerBase(p1, 0);
  const c1 = peerRegion(p1, 0);
  const c2 = (c0 + 0);
  const c3 = (at3 + (count - 1));
  const c4 = (c2 + at3 * 4);
  const c5 = (c4 + 4 * (count - 1));
  const c6 = (c4 / 4 | 0);
  const c8 = peerBase(p1, 1);
  const c9 = peerRegion(p1, 1);
  const c10 = (c8 + 0);
  const c11 = (c10 + at3 * 4);
  const c12 = (c11 + 4 * (count - 1));
  const c13 = (c11 / 4 | 0);
  const c15 = (peerBase(p1, 0) + 0);
  const c19 = (peerBase(p1, 1) + 0);
  if (at3 >= 0 && at3 <= 4294967295 && c3 >= 0 && c3 <= 4294967295 && c4 >= g_low[c1] && c5 + 4 <= g_high[c1] && (c4 & 3) === 0 && c5 <= 8589934584 && c11 >= g_low[c9] && c12 + 4 <= g_high[c9] && (c11 & 3) === 0 && c12 <= 8589934584) {
    threads: for (let t = 0; t < count; t++) {
      let v4_v = 0;
      let v6_m = 0;
      let v5_peer = 0;
      v4_v = 0;
      v5_peer = 0;
      const m7 = g_f32[(c6 + t | 0)];
      v6_m = m7;
      v4_v = Math.fround(v4_v + v6_m);
      const m14 = g_f32[(c13 + t | 0)];
      v6_m = m14;
      v4_v = Math.fround(v4_v + v6_m);
      v5_peer = 2;
      v5_peer = 0;
      g_f32[(c6 + t | 0)] = v4_v;
      g_f32[(c13 + t | 0)] = v4_v;
      v5_peer = 2;
    }
    return;
  }
  threads: for (let t = 0; t < count; t++) {
    const v3_o = (at3 + t) >>> 0;
    let v4_v = 0;
    let v6_m = 0;
    let v5_peer = 0;
    v4_v = 0;
    v5_peer = 0;
    const c16 = (c15 + v3_o * 4);
    if (!(c16 >= g_low[c1] && c16 + 4 <= g_high[c1]) || (c16 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c16, c1, g_low, g_high);
    const i17 = c16 >>> 2;
    const m18 = g_f32[i17];
    v6_m = m18;
    v4_v = Math.fround(v4_v + v6_m);
    const c20 = (c19 + v3_o * 4);
    if (!(c20 >= g_low[c9] && c20 + 4 <= g_high[c9]) || (c20 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c20, c9, g_low, g_high);
    const i21 = c20 >>> 2;
    const m22 = g_f32[i21];
    v6_m = m22;
    v4_v = Math.fround(v4_v + v6_m);
    v5_peer = 2;
    v5_peer = 0;
    const c23 = (c15 + v3_o * 4);
    if (!(c23 >= g_low[c1] && c23 + 4 <= g_high[c1]) || (c23 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c23, c1, g_low, g_high);
    const i24 = c23 >>> 2;
    g_f32[i24] = v4_v;
    const c25 = (c19 + v3_o * 4);
    if (!(c25 >= g_low[c9] && c25 + 4 <= g_high[c9]) || (c25 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c25, c9, g_low, g_high);
    const i26 = c25 >>> 2;
    g_f32[i26] = v4_v;
    v5_peer = 2;
  }
}
function threads3(cta, v2_globalNthreads) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_f32 = host.heap.f32;
  let fuel = 0;
  let left = 8192;
  let ahead = 0;
  v2_globalNthreads = v2_globalNthreads >>> 0;
  let from = 0;
  if (cta.at !== 0) {
    if (threads3_rest(cta, v2_globalNthreads)) return true;
    from = cta.thread + 1;
    fuel = cta.fuel;
    cta.at = 0;
    cta.thread = 0;
    cta.fuel = 0;
    cta.kept = null;
  }
  const c0 = (Math.imul(64, ((((field0 | 0) >>> 0) + (Math.imul(blockIdx_x, 2) >>> 0)) >>> 0)) >>> 0);
  const c2 = peerBase(p1, 0);
  const c3 = peerRegion(p1, 0);
  const c4 = (c2 + 0);
  const c5 = (peerBase(p1, 0) + 0);
  const c9 = peerBase(p1, 1);
  const c10 = peerRegion(p1, 1);
  const c11 = (c9 + 0);
  const c12 = (peerBase(p1, 1) + 0);
  threads: for (let t = from; t < 64; t++) {
    let v3_o = 0;
    let v4_v = 0;
    let v6_m = 0;
    let v5_peer = 0;
    const v1_globalTid = ((t + c0) >>> 0);
    v3_o = v1_globalTid;
    loop1: while ((v3_o < p2)) {
      if (--left <= 0) {
        fuel += 8192 - left - ahead;
        left = 8192;
        ahead = 0;
        if (fuel > 1073741824) fuelFault(cta, t, 5);
        if (isLate()) {
          cta.at = 1;
          cta.thread = t;
          cta.fuel = fuel;
          cta.kept = [v3_o];
          return true;
        }
      }
      v4_v = 0;
      v5_peer = 0;
      const c6 = (c5 + v3_o * 4);
      if (!(c6 >= g_low[c3] && c6 + 4 <= g_high[c3]) || (c6 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c6, c3, g_low, g_high);
      const i7 = c6 >>> 2;
      const m8 = g_f32[i7];
      v6_m = m8;
      v4_v = Math.fround(v4_v + v6_m);
      const c13 = (c12 + v3_o * 4);
      if (!(c13 >= g_low[c10] && c13 + 4 <= g_high[c10]) || (c13 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c13, c10, g_low, g_high);
      const i14 = c13 >>> 2;
      const m15 = g_f32[i14];
      v6_m = m15;
      v4_v = Math.fround(v4_v + v6_m);
      v5_peer = 2;
      v5_peer = 0;
      const c16 = (c5 + v3_o * 4);
      if (!(c16 >= g_low[c3] && c16 + 4 <= g_high[c3]) || (c16 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c16, c3, g_low, g_high);
      const i17 = c16 >>> 2;
      g_f32[i17] = v4_v;
      const c18 = (c12 + v3_o * 4);
      if (!(c18 >= g_low[c10] && c18 + 4 <= g_high[c10]) || (c18 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c18, c10, g_low, g_high);
      const i19 = c18 >>> 2;
      g_f32[i19] = v4_v;
      v5_peer = 2;
      v3_o = ((v3_o + v2_globalNthreads) >>> 0);
    }
  }
}
function threads3_rest(cta, v2_globalNthreads) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_f32 = host.heap.f32;
  let fuel = 0;
  let left = 8192;
  let ahead = 0;
  const { thread, kept } = cta;
  let enter = cta.at;
  cta.at = 0;
  fuel = cta.fuel;
  const c0 = (Math.imul(64, ((((field0 | 0) >>> 0) + (Math.imul(blockIdx_x, 2) >>> 0)) >>> 0)) >>> 0);
  const c2 = (peerBase(p1, 0) + 0);
  const c3 = peerRegion(p1, 0);
  const c7 = (peerBase(p1, 1) + 0);
  const c8 = peerRegion(p1, 1);
  threads: for (let t = thread; t === thread; t++) {
    let v3_o = enter === 1 ? kept[0] : 0;
    let v4_v = 0;
    let v6_m = 0;
    let v5_peer = 0;
    const v1_globalTid = ((t + c0) >>> 0);
    if (enter === 0) {
      v3_o = v1_globalTid;
    }
    if (enter === 1) enter = 0;
    if (enter === 0) {
      loop1: while ((v3_o < p2)) {
        if (--left <= 0) {
          fuel += 8192 - left - ahead;
          left = 8192;
          ahead = 0;
          if (fuel > 1073741824) fuelFault(cta, t, 5);
          if (isLate()) {
            cta.at = 1;
            cta.thread = t;
            cta.fuel = fuel;
            cta.kept = [v3_o];
            return true;
          }
        }
        v4_v = 0;
        v5_peer = 0;
        const c4 = (c2 + v3_o * 4);
        if (!(c4 >= g_low[c3] && c4 + 4 <= g_high[c3]) || (c4 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c4, c3, g_low, g_high);
        const i5 = c4 >>> 2;
        const m6 = g_f32[i5];
        v6_m = m6;
        v4_v = Math.fround(v4_v + v6_m);
        const c9 = (c7 + v3_o * 4);
        if (!(c9 >= g_low[c8] && c9 + 4 <= g_high[c8]) || (c9 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c9, c8, g_low, g_high);
        const i10 = c9 >>> 2;
        const m11 = g_f32[i10];
        v6_m = m11;
        v4_v = Math.fround(v4_v + v6_m);
        v5_peer = 2;
        v5_peer = 0;
        const c12 = (c2 + v3_o * 4);
        if (!(c12 >= g_low[c3] && c12 + 4 <= g_high[c3]) || (c12 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c12, c3, g_low, g_high);
        const i13 = c12 >>> 2;
        g_f32[i13] = v4_v;
        const c14 = (c7 + v3_o * 4);
        if (!(c14 >= g_low[c8] && c14 + 4 <= g_high[c8]) || (c14 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c14, c8, g_low, g_high);
        const i15 = c14 >>> 2;
        g_f32[i15] = v4_v;
        v5_peer = 2;
        v3_o = ((v3_o + v2_globalNthreads) >>> 0);
      }
    }
  }
  cta.fuel = fuel;
  return false;
}
function threads4(cta, v9_epoch) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  v9_epoch = v9_epoch >>> 0;
  const c0 = (0 | 0);
  const c2 = (((Math.imul(blockIdx_x, 2) >>> 0) + ((field0 | 0) >>> 0)) >>> 0);
  threads: for (let t = 0; t < 64; t++) {
    if ((t < 2)) {
      const c1 = (t | 0);
      const c3 = ((peerBase(p1, c1) + 4096) + c2 * 4);
      const c4 = peerRegion(p1, c1);
      if (!(c3 >= g_low[c4] && c3 + 4 <= g_high[c4]) || (c3 & 3) !== 0) accessFault(cta, t, 0, 4, 'global', c3, c4, g_low, g_high);
      const i5 = c3 >>> 2;
      g_u32[i5] = v9_epoch;
    }
  }
}
function test5(cta, t, index) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  let v7_i = index;
  let v8_got = 0;
  const v9_epoch = cta.all_v9_epoch;
  const c0 = (field0 | 0);
  const c1 = ((peerBase(p1, c0) + 4096) + (((Math.imul(blockIdx_x, 2) >>> 0) + v7_i) >>> 0) * 4);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  v8_got = m4;
  return (((v8_got - v9_epoch) >>> 0) <= 2147483647);
}
function explain5(cta, t, index) {
  const blockIdx_x = cta.identity.blockIdx.x;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const words = [];
  let v7_i = index;
  let v8_got = 0;
  const v9_epoch = cta.all_v9_epoch;
  const c0 = (field0 | 0);
  const c1 = ((peerBase(p1, c0) + 4096) + (((Math.imul(blockIdx_x, 2) >>> 0) + v7_i) >>> 0) * 4);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  words.push({ address: c1, region: c2, space: 'global', type: 'u32', value: m4 });
  v8_got = m4;
  let needed = '';
  needed = String(v9_epoch) + ' (rolling, 32 bits)';
  return { words, needed };
}
function resume(cta) {
  const gridDim_x = cta.identity.gridDim.x;
  const blockIdx_x = cta.identity.blockIdx.x;
  let pc = cta.pc;
  let { enter } = cta;
  cta.enter = 0;
  let v9_epoch = cta.all_v9_epoch;
  let v2_globalNthreads = cta.all_v2_globalNthreads;
  run: for (;;) {
    switch (pc) {
      case 0: {
        v9_epoch = 1;
        threads0(cta, v9_epoch);
      }
      {
        cta.all_v9_epoch = v9_epoch;
        cta.all_v2_globalNthreads = v2_globalNthreads;
        cta.latch = new Uint8Array(Number(2));
        cta.pc = 1;
      }
      case 1: {
        const { latch } = cta;
        let pending = 0;
        for (let i = 0; i < latch.length; i++) {
          if (latch[i] !== 0) continue;
          if (test1(cta, i % 64, i)) latch[i] = 1; else pending++;
        }
        if (pending > 0) return 'parked';
      }
      pc = 2;
      continue run;
      case 2: {
        v2_globalNthreads = (Math.imul((Math.imul(64, gridDim_x) >>> 0), 2) >>> 0);
      }
      case 10: {
        {
          const { gone_at3 } = cta;
          cta.gone_at3 = null;
          const c0 = (Math.imul(64, ((((field0 | 0) >>> 0) + (Math.imul(blockIdx_x, 2) >>> 0)) >>> 0)) >>> 0);
          const c1 = ((0 + c0) >>> 0);
          const c2 = (c1 + 63);
          if (gone_at3 !== null || (enter !== 1 && c1 >= 0 && c1 <= 4294967295 && c2 >= 0 && c2 <= 4294967295 && v2_globalNthreads > 0 && p2 + v2_globalNthreads <= 4294967295)) {
            const far_at3 = 64 * v2_globalNthreads;
            let next_at3 = (gone_at3 ?? c1) + far_at3;
            for (let at3 = gone_at3 ?? c1; ; at3 += v2_globalNthreads) {
              const count3 = Math.min(64, p2 - at3);
              if (!(count3 > 0)) break;
              if (at3 >= next_at3) {
                next_at3 += far_at3;
                if (isLate()) {
                  cta.gone_at3 = at3;
                  cta.pc = 10;
                  pc = 7;
                  continue run;
                }
              }
              threads2(cta, count3, at3);
            }
          } else {
            enter = 0;
            if (threads3(cta, v2_globalNthreads)) {
              cta.enter = 1;
              cta.pc = 10;
              pc = 7;
              continue run;
            }
          }
        }
        v9_epoch = ((v9_epoch + 1) >>> 0);
        threads4(cta, v9_epoch);
      }
      {
        cta.all_v9_epoch = v9_epoch;
        cta.all_v2_globalNthreads = v2_globalNthreads;
        cta.latch = new Uint8Array(Number(2));
        cta.pc = 3;
      }
      case 3: {
        const { latch } = cta;
        let pending = 0;
        for (let i = 0; i < latch.length; i++) {
          if (latch[i] !== 0) continue;
          if (test5(cta, i % 64, i)) latch[i] = 1; else pending++;
        }
        if (pending > 0) return 'parked';
      }
      pc = 4;
      continue run;
      case 4: {
      }
      pc = 6;
      continue run;
      case 7:
      cta.all_v9_epoch = v9_epoch;
      cta.all_v2_globalNthreads = v2_globalNthreads;
      return 'paused';
      default:
      cta.pc = 6;
      return 'done';
    }
  }
}
function canResume(cta) {
  switch (cta.pc) {
    case 1:
    for (let i = 0; i < cta.latch.length; i++) if (cta.latch[i] === 0 && test1(cta, i % 64, i)) return true;
    return cta.latch.length === 0;
    case 3:
    for (let i = 0; i < cta.latch.length; i++) if (cta.latch[i] === 0 && test5(cta, i % 64, i)) return true;
    return cta.latch.length === 0;
    default:
    return true;
  }
}
function waiting(cta) {
  switch (cta.pc) {
    case 1:
    return [{ site: 2, kind: 'waitAll', threads: support.liveThreads(cta, 64), ...support.unlatched(cta.latch, (i) => explain1(cta, i % 64, i)) }];
    case 3:
    return [{ site: 2, kind: 'waitAll', threads: support.liveThreads(cta, 64), ...support.unlatched(cta.latch, (i) => explain5(cta, i % 64, i)) }];
    default:
    return [];
  }
}
function start(identity) {
  return {
    identity,
    pc: 0,
    all_v9_epoch: 0,
    latch: null,
    at: 0,
    thread: 0,
    fuel: 0,
    kept: null,
    gone_at3: null,
    all_v2_globalNthreads: 0,
    enter: 0,
  };
}
return { start, resume, canResume, waiting };
