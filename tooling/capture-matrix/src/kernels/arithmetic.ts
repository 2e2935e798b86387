/* oxlint-disable eqeqeq -- a kernel may say `==`; it means `===`, and must mean it everywhere */
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** A constant that is folded into the kernel. Bundlers inline or rename the binding. */
const SCALE = 0x10;
const BIAS = 7 / 2;
const WRAP = true;

/** Every operator on integers, by every width, as statements and inside expressions. */
export const integers = kernel(
  { name: 'integers', use: { lsa, SCALE, WRAP }, params: { win: window, count: u32 } },
  (
    {
      lsa,
      SCALE,
      WRAP,
      threadIdx,
      blockIdx,
      blockDim,
      bool,
      i8,
      u8,
      i16,
      u16,
      i32,
      u32,
      i64,
      u64,
      addr,
      min,
      max,
      abs,
      popcount,
      clz,
      ctz,
    },
    { win, count },
  ) => {
    const i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= count) return;
    const out = lsa.localPointer(win, u32, 0);
    const signed = i32(i) - 40;
    let x = u32(out[i]!);
    let y = signed;
    x += SCALE;
    x -= 3;
    x *= 2654435761;
    x /= 3;
    x %= 1000003;
    x <<= 3;
    x >>= 1;
    x |= 1 << 31;
    x &= 0xffff_fff0;
    x ^= 0b1010;
    y++;
    ++y;
    y--;
    --y;
    const before = y++;
    const after = ++y;
    // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- the operator is what is tested
    y = -y + +before * after;
    y = ~y | (signed & 15);
    const half = signed / 2;
    const rest = signed % 7;
    const high = signed >> 3;
    const narrow = i32(i8(signed * 3)) + i32(u8(signed)) + i32(i16(signed * 1000)) + i32(u16(signed));
    const wide = (i64(signed) * 1000000007) / 13 + i64(half);
    const unsignedWide = (u64(i) << 40) ^ (u64(x) >> 5);
    const offset = addr(i) * 4 + 8;
    const small = min(half, rest);
    const large = max(small, max(-3, high));
    const flags = popcount(x) + clz(x | 1) * 64 + ctz(x | 256) * 4096;
    let picked = 0;
    if (signed < 0 && rest !== 0) picked = 1;
    else if (signed > 20 || half == 5) picked = 2;
    else if (!(signed <= 10)) picked = 3;
    else picked = bool(rest) ? 4 : 5;
    const chosen = signed >= 3 ? (signed === 7 ? 70 : x > 9 ? 30 : 20) : WRAP ? 10 : 0;
    const truth = signed < 3 !== (rest == 1);
    if (truth) x += 1;
    out[i] = x;
    out[64 + i] = u32(y) + u32(abs(narrow)) * 3;
    out[128 + i] = u32(wide) ^ u32(wide >> 32);
    out[192 + i] = u32(unsignedWide) + u32(unsignedWide >> 32) + u32(offset);
    out[256 + i] = u32(large) * 31 + flags + u32(picked) * 7 + u32(chosen);
    out[320 + i]! -= 1;
    out[320 + i]!++;
  },
);

/** Every float type, every function of `math`, and the literals that minifiers respell. */
export const floats = kernel(
  { name: 'floats', use: { lsa, BIAS }, params: { win: window, count: u32 } },
  (
    { lsa, BIAS, threadIdx, i32, u32, u64, f16, bf16, f32, f64, e4m3, e5m2, math, min, max, abs, fma, bitcast },
    { win, count },
  ) => {
    const i = threadIdx.x;
    if (i < count) {
      const single = lsa.localPointer(win, f32, 0);
      const double = lsa.localPointer(win, f64, 2048);
      const x = f32(i) * 0.25 - 1.5;
      const positive = abs(x) + 1.0;
      let sum = f32(0.0);
      sum += math.sqrt(positive);
      sum += math.rsqrt(positive);
      sum -= math.floor(x) * math.ceil(x) + math.trunc(x) / (math.round(x) + 100);
      sum = fma(sum, 1e-3, BIAS);
      sum += x > 0 ? 1 / 3 : -0.5;
      sum = max(min(sum, 1e30), -1 / 0);
      const other = math.exp(x) + math.exp2(x) + math.log(positive) + math.log2(positive);
      const turned = math.sin(x) * math.cos(x) + math.tanh(x) + math.pow(positive, 2);
      const halves = f32(f16(x) * f16(1.1)) + f32(bf16(x) / bf16(3));
      const bytes = f32(e4m3(f16(x))) + f32(e5m2(x));
      const precise = f64(x) / 3 + f64(i) * 1e-12;
      single[i] = sum;
      single[64 + i] = halves;
      single[128 + i] = bytes % 3;
      // Approximations differ between machines, so the test keeps only if they are in range.
      single[192 + i] = other > 0 && turned > -10 && turned < 1e9 ? 1 : 0;
      single[256 + i] = -x;
      double[i] = precise;
      const bits = bitcast(u32, x);
      const wide = bitcast(u64, precise);
      lsa.localPointer(win, u32, 4096)[i] = (bits >> 23) ^ u32(wide >> 32);
      lsa.localPointer(win, i32, 5120)[i] = i32(x * 1e9) + i32(single[i] < single[64 + i]!);
    }
  },
);
