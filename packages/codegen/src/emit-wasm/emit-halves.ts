import type { Expression, VectorExpression } from '@nccl-ts/ir';

import { value, type WasmValue } from './function-builder.ts';
import { roundedBf16, roundedF16, widenedBf16, widenedF16 } from './half-lanes.ts';
import { get, i32, lines, op, set, type WasmCode } from './instruction.ts';
import { keep, type WasmScope } from './scope.ts';
import { isHalf, shapeOf, type HalfShape, type VectorShape } from './types.ts';

type Both = readonly [low: WasmValue, high: WasmValue];

interface HalfBits {
  readonly infinity: number;
  readonly widened: (packed: number, half: 'low' | 'high') => WasmCode;
  /** `scratch` is a local for a vector. */
  readonly rounded: (single: number, scratch: number) => WasmCode;
}

const bitsOf: Readonly<Record<HalfShape, HalfBits>> = {
  f16x8: { infinity: 0x7c00, widened: widenedF16, rounded: roundedF16 },
  bf16x8: { infinity: 0x7f80, widened: widenedBf16, rounded: roundedBf16 },
};

/** The NaN that JavaScript writes to memory. */
const NAN = 0x7fff;

/** Converts eight 16-bit floats to two vectors of four 32-bit floats. */
export function widenedHalves(shape: HalfShape, packed: WasmValue, scope: WasmScope): Both {
  const local = localOf(packed, scope);
  const { widened } = bitsOf[shape];
  return [value('v128', ...widened(local, 'low')), value('v128', ...widened(local, 'high'))];
}

/**
 * Converts two vectors of four 32-bit floats to eight 16-bit floats, rounded to nearest, ties to
 * even.
 */
export function narrowedHalves(shape: HalfShape, low: WasmValue, high: WasmValue, scope: WasmScope): WasmValue {
  const scratch = scope.fn.local('v128');
  const { rounded } = bitsOf[shape];
  const code = [low, high].flatMap((single): WasmCode => {
    const local = localOf(single, scope);
    const isNaN: WasmCode = [get(local), get(local), op('f32x4.ne')];
    return [i32(NAN), op('i32x4.splat'), ...rounded(local, scratch), ...isNaN, op('v128.bitselect')];
  });
  return { ...value('v128', ...code, op('i16x8.narrow_i32x4_u')), canonical: true };
}

/** Returns the bytes that a vector has in memory. */
export function packedBytes(shape: VectorShape, packed: WasmValue, scope: WasmScope): WasmValue {
  return isHalf(shape) ? canonicalHalves(shape, packed, scope) : packed;
}

/** Returns the same floats, with each NaN replaced by the one that JavaScript writes. */
function canonicalHalves(shape: HalfShape, packed: WasmValue, scope: WasmScope): WasmValue {
  if (packed.canonical === true) return packed;
  const stored = keep(scope, packed);
  const splat = (bits: number): WasmCode => [i32(bits), op('i16x8.splat')];
  const magnitude: WasmCode = [...stored.code, ...splat(0x7fff), op('v128.and')];
  const isNaN: WasmCode = [...magnitude, ...splat(bitsOf[shape].infinity), op('i16x8.gt_s')];
  return { ...value('v128', ...lines(splat(NAN), stored.code, isNaN, op('v128.bitselect'))), canonical: true };
}

/** Returns the number of a local that holds `packed`. */
function localOf(packed: WasmValue, scope: WasmScope): number {
  const [only] = packed.code;
  if (packed.code.length === 1 && only?.op === 'local.get') return only.local;
  const local = scope.fn.local('v128');
  scope.code.push(...packed.code, set(local));
  return local;
}

/**
 * Recognises four 32-bit floats that are one half of a vector of eight, element by element:
 * `vec(f32, 4)(f32(lane(v, 4)), ...)`.
 */
export function asWidenedHalf(
  e: VectorExpression,
  scope: WasmScope,
  emit: (of: Expression, scope: WasmScope) => WasmValue,
): WasmValue | undefined {
  if (shapeOf(e.type) !== 'f32x4') return undefined;
  const lanes = convertedLanes(e);
  const [first] = lanes ?? [];
  if (lanes === undefined || first === undefined || (first.index !== 0 && first.index !== 4)) return undefined;
  const shape = shapeOf(first.vector.type);
  if (shape !== 'f16x8' && shape !== 'bf16x8') return undefined;
  if (!lanes.every(({ vector, index }, i) => isSame(vector, first.vector) && index === first.index + i))
    return undefined;
  const both = widenedHalves(shape, emit(first.vector, scope), scope);
  return both[first.index / 4];
}

/** Recognises eight 16-bit floats that are the elements of two f32 vectors, in sequence. */
export function asNarrowedHalves(
  e: VectorExpression,
  scope: WasmScope,
  emit: (of: Expression, scope: WasmScope) => WasmValue,
): WasmValue | undefined {
  const shape = shapeOf(e.type);
  if (shape !== 'f16x8' && shape !== 'bf16x8') return undefined;
  const lanes = convertedLanes(e);
  const [low, high] = [lanes?.[0]?.vector, lanes?.[4]?.vector];
  if (lanes === undefined || low === undefined || high === undefined) return undefined;
  if (shapeOf(low.type) !== 'f32x4' || shapeOf(high.type) !== 'f32x4') return undefined;
  if (!lanes.every(({ vector, index }, i) => isSame(vector, i < 4 ? low : high) && index === i % 4)) return undefined;
  return narrowedHalves(shape, emit(low, scope), emit(high, scope), scope);
}

interface VectorLane {
  readonly vector: Expression;
  readonly index: number;
}

/** Returns the vector lanes that are the elements of `e`, each converted. */
function convertedLanes(e: VectorExpression): readonly VectorLane[] | undefined {
  const lanes = e.elements.map((element): VectorLane | undefined => {
    if (element.kind !== 'convert' || element.operand.kind !== 'lane') return undefined;
    const { vector, index } = element.operand;
    return index.kind === 'constant' ? { vector, index: Number(index.value) } : undefined;
  });
  const found = lanes.filter((lane) => lane !== undefined);
  return found.length === e.type.width ? found : undefined;
}

function isSame(a: Expression, b: Expression): boolean {
  return a === b || (a.kind === 'local' && b.kind === 'local' && a.local === b.local);
}
