'use strict';
const accessFault = support.accessFault;
const arrived = support.arrived;
const fuelFault = support.fuelFault;
const numberField = support.numberField;
const peerBase = support.peerBase;
const peerRegion = support.peerRegion;
const stuckThreads = support.stuckThreads;
const p0 = args[0];
const p1 = args[1];
const field0 = numberField(p0, strings[0]);
function test0(cta, t, commit) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  let v0_got = 0;
  const c0 = (field0 | 0);
  const c1 = (peerBase(p1, c0) + 64);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  v0_got = m4;
  if (!(v0_got >= 5)) return false;
  return true;
}
function explain0(cta, t) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const words = [];
  let v0_got = 0;
  const c0 = (field0 | 0);
  const c1 = (peerBase(p1, c0) + 64);
  const c2 = peerRegion(p1, c0);
  if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 1, 4, 'global', c1, c2, g_low, g_high);
  const i3 = c1 >>> 2;
  const m4 = g_u32[i3];
  words.push({ address: c1, region: c2, space: 'global', type: 'u32', value: m4 });
  v0_got = m4;
  let needed = '';
  needed = '>= ' + String(5);
  return { words, needed };
}
function others1(cta, t) {
  return { threads: [0, 64, -1], name: 'CTA', gone: 8 };
}
function meet1(cta, t) {
  const members = arrived(cta.pcs, 5, 8, 0, 64, -1, null);
  if (members === null) return false;
  for (const m of members) {
    cta.pcs[m] = 6;
  }
  return true;
}
function run(cta, t) {
  const g_low = host.regions.low;
  const g_high = host.regions.high;
  const g_u32 = host.heap.u32;
  const { pcs } = cta;
  let pc = pcs[t];
  let v0_got = 0;
  run: for (;;) {
    switch (pc) {
      case 0: {
        const c0 = (((((field0 | 0) + 1) | 0) % 2) | 0);
        const c1 = (peerBase(p1, c0) + 64);
        const c2 = peerRegion(p1, c0);
        if (!(c1 >= g_low[c2] && c1 + 4 <= g_high[c2]) || (c1 & 3) !== 0) accessFault(cta, t, 0, 4, 'global', c1, c2, g_low, g_high);
        const i3 = c1 >>> 2;
        g_u32[i3] = 5;
      }
      {
        pc = (t === 0) ? 2 : 4;
        continue run;
      }
      case 2: {
      }
      pcs[t] = 3;
      case 3:
      if (!test0(cta, t, true)) return 0;
      pc = 4;
      continue run;
      case 4: {
      }
      {
        pcs[t] = 5;
        meet1(cta, t);
        return 0;
      }
      case 6: {
        const c4 = (field0 | 0);
        const c5 = ((peerBase(p1, c4) + 128) + t * 4);
        const c6 = peerRegion(p1, c4);
        if (!(c5 >= g_low[c6] && c5 + 4 <= g_high[c6]) || (c5 & 3) !== 0) accessFault(cta, t, 4, 4, 'global', c5, c6, g_low, g_high);
        const i7 = c5 >>> 2;
        g_u32[i7] = ((t + 1) >>> 0);
      }
      pc = 8;
      continue run;
      default:
      pcs[t] = 8;
      return 2;
    }
  }
}
function isReady(cta, t) {
  switch (cta.pcs[t]) {
    case 3:
    return test0(cta, t, false);
    case 5:
    return false;
    case 8:
    return false;
    default:
    return true;
  }
}
function settle(cta, t) {
  switch (cta.pcs[t]) {
    case 5:
    return meet1(cta, t);
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
  for (;;) {
    if (++fuel > 1073741824) fuelFault(cta, 0, 2);
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
    if (moved) continue;
    let missed = -1;
    for (let t = 0; t < 64; t++) {
      const pc = cta.pcs[t];
      if (pc === missed) continue;
      if (settle(cta, t)) moved = true;
      else if (pc === 5) missed = pc;
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
  { label: 3, site: 2, kind: 'wait', explain: explain0, others: null },
  { label: 5, site: 3, kind: 'sync', explain: null, others: others1 },
  ]);
}
function start(identity) {
  return {
    identity,
    pc: 0,
    pcs: new Int32Array(64),
  };
}
return { start, resume, canResume, waiting };
