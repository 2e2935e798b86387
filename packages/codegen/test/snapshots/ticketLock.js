'use strict';
const accessFault = support.accessFault;
const fuelFault = support.fuelFault;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const stuckThreads = support.stuckThreads;
const p0 = args[0];
const p1 = args[1];
const field0 = numberField(p0, strings[0]);
function spin0(cta, t) {
  const each_v0_ticket = cta.each_v0_ticket;
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const words = [];
  let v1_now = 0;
  let v0_ticket = each_v0_ticket[t];
  const c0 = (field0 | 0);
  const c1 = (peerBase(p1, c0) + 4);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 2, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  words.push({ address: c1, region: c2, space: 'global', type: 'u32', value: m4 });
  v1_now = m4;
  let needed = '';
  needed = String(v0_ticket);
  return { words, needed };
}
function run(cta, t) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const each_v0_ticket = cta.each_v0_ticket;
  const { pcs } = cta;
  let pc = pcs[t];
  let v0_ticket = each_v0_ticket[t];
  let v1_now = 0;
  let v2_sum = 0;
  run: for (;;) {
    switch (pc) {
      case 0: {
        const c0 = (field0 | 0);
        const c1 = (peerBase(p1, c0) + 0);
        const c2 = peerRegion(p1, c0);
        if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 0, 4, 'global', c1, c2, g_low, g_high);
        const i3 = c1 >>> 2;
        const m4 = g_u32[i3];
        g_u32[i3] = ((m4 + 1) >>> 0);
        v0_ticket = m4;
      }
      pc = 2;
      continue run;
      case 2: {
        const c5 = (field0 | 0);
        const c6 = (peerBase(p1, c5) + 4);
        const c7 = peerRegion(p1, c5);
        if (!(c6 >= g_low[c7] && c6 + 4 <= g_high[c7]) || (c6 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c6, c7, g_low, g_high);
        const i8 = c6 >>> 2;
        const m9 = g_u32[i8];
        v1_now = m9;
      }
      {
        pc = (v1_now === v0_ticket) ? 4 : 6;
        continue run;
      }
      case 4: {
        const c10 = (field0 | 0);
        const c11 = (peerBase(p1, c10) + 8);
        const c12 = peerRegion(p1, c10);
        if (!(c11 >= g_low[c12] && c11 + 4 <= g_high[c12]) || (c11 & 3) !== 0) accessFault(cta, t, 2, 4, 'global', c11, c12, g_low, g_high);
        const i13 = c11 >>> 2;
        const m14 = g_u32[i13];
        v2_sum = m14;
        const c15 = (field0 | 0);
        const c16 = (peerBase(p1, c15) + 8);
        const c17 = peerRegion(p1, c15);
        if (!(c16 >= g_low[c17] && c16 + 4 <= g_high[c17]) || (c16 & 3) !== 0) accessFault(cta, t, 3, 4, 'global', c16, c17, g_low, g_high);
        const i18 = c16 >>> 2;
        g_u32[i18] = (((Math.imul(v2_sum, 3) >>> 0) + t) >>> 0);
        const c19 = (field0 | 0);
        const c20 = (peerBase(p1, c19) + 4);
        const c21 = peerRegion(p1, c19);
        if (!(c20 >= g_low[c21] && c20 + 4 <= g_high[c21]) || (c20 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c20, c21, g_low, g_high);
        const i22 = c20 >>> 2;
        const m23 = g_u32[i22];
        g_u32[i22] = ((m23 + 1) >>> 0);
      }
      pc = 8;
      continue run;
      case 6: {
      }
      each_v0_ticket[t] = v0_ticket;
      pcs[t] = 2;
      return 1;
      default:
      pcs[t] = 8;
      return 2;
    }
  }
}
function isReady(cta, t) {
  switch (cta.pcs[t]) {
    case 8:
    return false;
    default:
    return true;
  }
}
function settle(cta, t) {
  switch (cta.pcs[t]) {
    case 8:
    return false;
    default:
    return false;
  }
}
function couldSettle(cta, t) {
  switch (cta.pcs[t]) {
    case 8:
    return false;
    default:
    return isReady(cta, t);
  }
}
function resume(cta) {
  let fuel = 0;
  let polls = 0;
  for (;;) {
    if (++fuel > 1073741824) fuelFault(cta, 0, 0);
    let moved = false;
    let yielded = false;
    let live = false;
    for (let t = 0; t < 64; t++) {
      if (cta.pcs[t] === 8) continue;
      live = true;
      if (!isReady(cta, t)) continue;
      if (run(cta, t) === 1) yielded = true; else moved = true;
    }
    if (!live) return 'done';
    if (moved && yielded && ++polls >= 4) return 'yielded';
    if (moved) continue;
    for (let t = 0; t < 64; t++) {
      if (settle(cta, t)) moved = true;
    }
    if (!moved) return yielded ? 'yielded' : 'parked';
  }
}
function canResume(cta) {
  for (let t = 0; t < 64; t++) {
    if (couldSettle(cta, t)) return true;
  }
  return cta.pcs.every((pc) => pc === 8);
}
function waiting(cta) {
  return stuckThreads(cta, [
  { label: 2, site: 5, kind: 'spin', explain: spin0, others: null },
  ]);
}
function start(identity) {
  return {
    identity,
    pc: 0,
    pcs: new Int32Array(64),
    each_v0_ticket: new Uint32Array(64),
  };
}
return { start, resume, canResume, waiting };
