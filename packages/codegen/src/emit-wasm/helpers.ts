import { block, call, f32, f64, get, i32, i64, lines, op, set, tee, type WasmCode } from './instruction.ts';
import type { WasmType } from './opcodes.ts';
import type { WasmFunction, WasmImport } from './wasm-module.ts';

/** Functions that generated code calls: those defined here, and imported JavaScript functions. */
export type HelperName =
  | 'f16ToF32'
  | 'bf16ToF32'
  | 'e4m3ToF32'
  | 'f16Bits'
  | 'bf16Bits'
  | 'e4m3Bits'
  | 'e5m2Bits'
  | 'roundToF16'
  | 'roundToBf16'
  | 'roundToE4m3'
  | 'roundToE5m2'
  | 'singleToF16'
  | 'singleToBf16'
  | 'singleToE4m3'
  | 'singleToE5m2';

export type ImportName =
  | 'exp'
  | 'exp2'
  | 'log'
  | 'log2'
  | 'sin'
  | 'cos'
  | 'tanh'
  | 'power'
  | 'remainder'
  | 'fmaOdd'
  | 'fma64'
  | 'bigToOdd'
  | 'bigToOddUnsigned'
  | 'isLate'
  | 'traced';

interface Helper {
  readonly params: readonly WasmType[];
  readonly results: readonly WasmType[];
  readonly locals: readonly WasmType[];
  readonly code: WasmCode;
}

/**
 * Converts the bits of an f16 or, shifted left by 8 bits, of an e5m2. A NaN keeps its sign, and
 * becomes JavaScript's NaN.
 */
const f16ToF32: Helper = {
  params: ['i32'],
  results: ['f32'],
  locals: ['i32'],
  code: lines(
    // The exponents' biases differ by 112. Subnormal numbers become normal. Infinities get all
    // exponent bits.
    [get(0), i32(0x7fff), op('i32.and'), i32(13), op('i32.shl'), tee(1), op('f32.reinterpret_i32')],
    [f32(2 ** 112), op('f32.mul'), op('i32.reinterpret_f32')],
    [i32(0x7fc00000), i32(0x7f800000), get(1), i32(0x0f800000), op('i32.gt_u'), op('select')],
    [get(1), i32(0x0f800000), op('i32.lt_u'), op('select')],
    [get(0), i32(0x8000), op('i32.and'), i32(16), op('i32.shl'), op('i32.or'), op('f32.reinterpret_i32')],
  ),
};

/**
 * Converts the bits of a bf16, which are the upper half of an f32's. A NaN becomes quiet, as in
 * JavaScript.
 */
const bf16ToF32: Helper = {
  params: ['i32'],
  results: ['f32'],
  locals: [],
  code: lines(
    [get(0), i32(16), op('i32.shl'), i32(0), i32(0x400000), get(0), i32(0x7fff), op('i32.and')],
    [i32(0x7f80), op('i32.le_u'), op('select'), op('i32.or'), op('f32.reinterpret_i32')],
  ),
};

const e4m3ToF32: Helper = {
  params: ['i32'],
  results: ['f32'],
  locals: [],
  code: lines(
    [get(0), i32(0x7f), op('i32.and'), i32(20), op('i32.shl'), op('f32.reinterpret_i32')],
    [f32(2 ** 120), op('f32.mul'), op('i32.reinterpret_f32')],
    [i32(0x7fc00000), get(0), i32(0x7f), op('i32.and'), i32(0x7f), op('i32.ne'), op('select')],
    [get(0), i32(0x80), op('i32.and'), i32(24), op('i32.shl'), op('i32.or'), op('f32.reinterpret_i32')],
  ),
};

/**
 * Returns the bits of a float that already fits the narrow type. `scale` moves its smallest
 * exponents to an f32's.
 */
function narrowBits(scale: number, shift: number, infinity: number | undefined, nan: number, sign: number): Helper {
  const magnitude: WasmCode = lines([
    get(0),
    op('f32.abs'),
    f32(scale),
    op('f32.mul'),
    op('i32.reinterpret_f32'),
    i32(shift),
    op('i32.shr_u'),
  ]);
  const finite: WasmCode =
    infinity === undefined
      ? magnitude
      : [i32(infinity), ...magnitude, get(0), op('f32.abs'), f32(Infinity), op('f32.eq'), op('select')];
  return {
    params: ['f32'],
    results: ['i32'],
    locals: [],
    code: lines(
      [i32(nan)],
      finite,
      [get(0), op('i32.reinterpret_f32'), i32(31 - sign), op('i32.shr_u'), i32(1 << sign), op('i32.and')],
      [op('i32.or'), get(0), get(0), op('f32.ne'), op('select')],
    ),
  };
}

const bf16Bits: Helper = {
  params: ['f32'],
  results: ['i32'],
  locals: [],
  code: lines(
    [i32(0x7fff), get(0), op('i32.reinterpret_f32'), i32(16), op('i32.shr_u')],
    [get(0), get(0), op('f32.ne'), op('select')],
  ),
};

/**
 * Rounds a double once, to nearest even, to a float with `mantissa` stored bits. It adds a large
 * number whose last bit has the weight of the result's last bit, so that no finer bits remain. A
 * value beyond `largest` becomes `past` with its sign.
 */
function rounding(mantissa: number, least: number, most: number, largest: number, past: number): Helper {
  const [x, exponent, magic] = [0, 1, 2];
  return {
    params: ['f64'],
    results: ['f32'],
    locals: ['i64', 'f64'],
    code: lines(
      [get(x), op('i64.reinterpret_f64'), i64(52n), op('i64.shr_u'), i64(0x7ffn), op('i64.and')],
      [i64(1023n), op('i64.sub'), tee(exponent), i64(BigInt(most)), op('i64.gt_s')],
      [block('if', 0), get(x), f64(Infinity), op('f64.mul'), set(magic), op('else')],
      [get(exponent), i64(BigInt(least)), get(exponent), i64(BigInt(least)), op('i64.gt_s'), op('select')],
      [i64(BigInt(1023 + 52 - mantissa)), op('i64.add'), i64(52n), op('i64.shl'), i64(1n << 51n), op('i64.or')],
      [op('f64.reinterpret_i64'), tee(magic), get(x), op('f64.add'), get(magic), op('f64.sub'), tee(magic)],
      // The sum for a negative number may be +0.
      [get(x), op('f64.copysign'), set(magic), op('end')],
      [get(magic), op('f64.abs'), f64(largest), op('f64.gt')],
      [block('if', 1), f64(past), get(x), op('f64.copysign'), set(magic), op('end')],
      [get(magic), op('f32.demote_f64')],
    ),
  };
}

/** Like `rounding`, for an f32. */
function roundingSingle(mantissa: number, least: number, most: number, largest: number, past: number): Helper {
  const [x, exponent, magic] = [0, 1, 2];
  return {
    params: ['f32'],
    results: ['f32'],
    locals: ['i32', 'f32'],
    code: lines(
      [get(x), op('i32.reinterpret_f32'), i32(23), op('i32.shr_u'), i32(0xff), op('i32.and')],
      [i32(127), op('i32.sub'), tee(exponent), i32(most), op('i32.gt_s')],
      [block('if', 0), get(x), f32(Infinity), op('f32.mul'), set(magic), op('else')],
      [get(exponent), i32(least), get(exponent), i32(least), op('i32.gt_s'), op('select')],
      [i32(127 + 23 - mantissa), op('i32.add'), i32(23), op('i32.shl'), i32(1 << 22), op('i32.or')],
      [op('f32.reinterpret_i32'), tee(magic), get(x), op('f32.add'), get(magic), op('f32.sub')],
      [get(x), op('f32.copysign'), set(magic), op('end')],
      [f32(past), get(x), op('f32.copysign'), get(magic)],
      [get(magic), op('f32.abs'), f32(largest), op('f32.gt'), op('select')],
    ),
  };
}

/** A bf16 is the upper half of an f32. The part that is cut off is rounded by a carry. */
const singleToBf16: Helper = {
  params: ['f32'],
  results: ['f32'],
  locals: ['i32'],
  code: lines(
    [get(0), op('i32.reinterpret_f32'), tee(1), i32(16), op('i32.shr_u'), i32(1), op('i32.and')],
    [i32(0x7fff), op('i32.add'), get(1), op('i32.add'), i32(-65536), op('i32.and'), op('f32.reinterpret_i32')],
    [get(0), get(0), get(0), op('f32.eq'), op('select')],
  ),
};

const written: Readonly<Record<HelperName, Helper>> = {
  f16ToF32,
  bf16ToF32,
  e4m3ToF32,
  f16Bits: narrowBits(2 ** -112, 13, 0x7c00, 0x7fff, 15),
  e5m2Bits: narrowBits(2 ** -112, 21, 0x7c, 0x7f, 7),
  e4m3Bits: narrowBits(2 ** -120, 20, undefined, 0x7f, 7),
  bf16Bits,
  roundToF16: rounding(10, -14, 15, 65504, Infinity),
  roundToBf16: rounding(7, -126, 127, (2 - 2 ** -7) * 2 ** 127, Infinity),
  roundToE4m3: rounding(3, -6, 8, 448, 448),
  roundToE5m2: rounding(2, -14, 15, 57344, 57344),
  singleToF16: roundingSingle(10, -14, 15, 65504, Infinity),
  singleToBf16,
  singleToE4m3: roundingSingle(3, -6, 8, 448, 448),
  singleToE5m2: roundingSingle(2, -14, 15, 57344, 57344),
};

type WasmSignature = Pick<WasmImport, 'params' | 'results'>;

const unary: WasmSignature = { params: ['f64'], results: ['f64'] };
const binary: WasmSignature = { params: ['f64', 'f64'], results: ['f64'] };
const ternary: WasmSignature = { params: ['f64', 'f64', 'f64'], results: ['f64'] };

/** JavaScript functions, so that both engines share one implementation of bit operations. */
const given: Readonly<Record<ImportName, WasmSignature>> = {
  exp: unary,
  exp2: unary,
  log: unary,
  log2: unary,
  sin: unary,
  cos: unary,
  tanh: unary,
  power: binary,
  remainder: binary,
  fmaOdd: ternary,
  fma64: ternary,
  bigToOdd: { params: ['i64'], results: ['f64'] },
  bigToOddUnsigned: { params: ['i64'], results: ['f64'] },
  isLate: { params: [], results: ['i32'] },
  // The thread, the site, the address, the number of bytes, and 1 for a store.
  traced: { params: ['i32', 'i32', 'i32', 'i32', 'i32'], results: [] },
};

/** The functions that a module calls. */
export class HelperSet {
  readonly #written = new Set<HelperName>();
  readonly #given = new Set<ImportName>();

  call(name: HelperName): WasmCode {
    this.#written.add(name);
    return [call(name)];
  }

  callGiven(name: ImportName): WasmCode {
    this.#given.add(name);
    return [call(name)];
  }

  get functions(): readonly WasmFunction[] {
    return [...this.#written].map((name) => ({ name, ...written[name], exported: false }));
  }

  get imports(): readonly WasmImport[] {
    return [...this.#given].map((name) => ({ name, ...given[name] }));
  }
}
