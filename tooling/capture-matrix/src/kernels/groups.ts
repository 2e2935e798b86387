import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Shuffles and votes of a warp. */
export const warps = kernel(
  { name: 'warps', use: { lsa }, params: { win: window, count: u32 } },
  (
    { lsa, threadIdx, laneId, warpSize, shfl, shflUp, shflDown, shflXor, ballot, any, all, u32, f32 },
    { win, count },
  ) => {
    const t = threadIdx.x;
    const out = lsa.localPointer(win, u32, 0);
    let sum = f32(t);
    for (let step = warpSize / 2; step > 0; step /= 2) sum += shflXor(sum, step);
    let scan = t;
    for (let d = 1; d < 32; d <<= 1) {
      const up = shflUp(scan, d);
      if (laneId >= d) scan += up;
    }
    const next = shflDown(t, 1);
    const first = shfl(t * 3, 0);
    const odd = ballot(t & 1);
    const some = any(t === count);
    const every = all(t < count);
    if (t < count) {
      out[t] = u32(sum);
      out[64 + t] = scan;
      out[128 + t] = next + first;
      out[192 + t] = odd + (some ? 1 : 0) + (every ? 2 : 0);
    }
  },
);

/** Every kind of group, including an author's own, and their operations. */
export const groups = kernel(
  { name: 'groups', use: { lsa }, params: { win: window, count: u32 } },
  (
    {
      lsa,
      threadIdx,
      coopThread,
      coopWarp,
      coopTile,
      coopLanes,
      coopWarpSpan,
      coopCta,
      coopCoalesced,
      coopAny,
      coopGetLaneMask,
      coopIsThread,
      coopWithinWarp,
      sharedArray,
      u32,
    },
    { win, count },
  ) => {
    const t = threadIdx.x;
    const out = lsa.localPointer(win, u32, 0);
    const cta = coopCta();
    const warp = coopWarp();
    const tile = coopTile(8);
    const lanes = coopLanes(0xffffffff);
    const span = coopWarpSpan(t / 32, 1, 2 + t / 32);
    const self = coopThread();
    const here = coopCoalesced();
    const whole = coopAny(cta);
    const staging = sharedArray(u32, 2);
    const own = { threadRank: () => t, size: () => u32(64), sync: () => cta.sync() };
    const ready = lsa.localPointer(win, u32, 2048);

    if (own.threadRank() < 2) staging[t] = 5 + t;
    own.sync();
    const a = cta.bcast(t + 7, 1);
    const b = warp.bcast(t);
    const c = tile.bcast(t, 3);
    span.sync();
    tile.sync();
    lanes.sync();
    self.sync();
    warp.sync();
    const anyone = tile.any(t === 12);
    const everyone = warp.all(t < 40);
    whole.sync();
    if (t < 4) ready.store(t, 1, 'release', 'device');
    cta.waitAll(4, (i) => ready.load(i, 'acquire', 'device') !== 0);
    if (t < count) {
      out[t] = a + b * 100 + c * 10000;
      out[64 + t] = tile.threadRank() + tile.size() * 100 + lanes.threadRank() * 10000;
      out[128 + t] = span.threadRank() + self.size() * 100 + whole.threadRank() * 1000 + lanes.size();
      out[192 + t] = (anyone ? 1 : 0) + (everyone ? 2 : 0) + (here.size() > 0 ? 4 : 0);
      out[256 + t] = staging[t & 1]! + own.size();
      if (coopWithinWarp(tile) && !coopIsThread(tile)) out[320 + t] = coopGetLaneMask(coopCoalesced(tile));
    }
  },
);
