import { window } from '@nccl-ts/devcomm';
import { bf16, f32, kernel, u32, vec, type ScalarParam } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Vectors, their lanes, and arrays of a thread and of a CTA. */
export const vectorsAndArrays = kernel(
  { name: 'vectorsAndArrays', use: { lsa, Four: vec(f32, 4) }, params: { win: window, count: u32 } },
  (
    {
      lsa,
      Four,
      vec,
      lane,
      withLane,
      bitcast,
      sharedArray,
      localArray,
      unroll,
      threadIdx,
      blockDim,
      coopCta,
      u16,
      u32,
      u64,
      f32,
    },
    { win, count },
  ) => {
    const t = threadIdx.x;
    const shared = sharedArray(f32, 64);
    const own = localArray(u32, 4);
    const Pair = vec(u32, 2);
    const quads = lsa.localPointer(win, Four, 0);
    const words = lsa.localPointer(win, u32, 0).offset(1024);
    let v = Four(f32(t), 1, 2.5, -1);
    v = v * 2 + Four(0.5);
    v /= 4;
    v = withLane(v, 2, lane(v, 0) + lane(v, 3));
    shared[t] = lane(v, t & 3);
    coopCta().sync();
    for (const k of unroll(4)) {
      own[k] = t * k + k;
      if (k === 2) continue;
      own[k] += 10;
    }
    let sum = f32(0);
    for (let k = 0; k < blockDim.x; k++) sum += shared[k]!;
    if (t < count) {
      quads[t] = v;
      let folded = u32(0);
      for (const k of unroll(4)) folded = folded * 33 + own.load(k);
      words.store(t, folded);
      words.store(64 + t, u32(sum));
      const pair = bitcast(Pair, bitcast(u64, Pair(folded, t)));
      words.cast(Pair)[64 + t] = pair + Pair(1, 2);
      words.cast(u16).store(512 + t, u16(lane(pair, 1) + 1));
      if (words.space !== 'global' || words.misalignment(4) !== 0) words.store(t, 0);
    }
  },
);

/** One kernel for each element type. `T` and a constant come through `use`. */
function scaled(type: ScalarParam, factor: number, twice: boolean) {
  return kernel(
    { name: `scaled-${type.scalar}`, use: { lsa, T: type, factor, twice, f32 }, params: { win: window, count: u32 } },
    ({ lsa, T, factor, twice, f32, u32, bf16, threadIdx, blockDim }, { win, count }) => {
      const data = lsa.localPointer(win, T, 0);
      for (let i = threadIdx.x; i < count; i += blockDim.x) {
        const value = T === u32 ? T(i) : T(f32(i) * 0.5);
        if (twice) data[i] = value * factor + value;
        else if (T === bf16) data[i] = value;
        else data[i] = value * factor;
      }
    },
  );
}

export const scaledF32 = scaled(f32, 1.5, true);
export const scaledBf16 = scaled(bf16, 3, false);
export const scaledU32 = scaled(u32, 3, false);
