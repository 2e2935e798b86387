import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { dispatchExpression, type BinaryOp, type CompareOp, type Expression, type ExpressionTable } from '@nccl-ts/ir';

import { scalarOf } from '../emit-shared/types.ts';
import { emitOne } from './emit-expression.ts';
import { packedBinary, packedMath, packedUnary } from './emit-packed.ts';
import { localValue, value, type WasmValue } from './function-builder.ts';
import { i32, op, set, v128, type Instruction } from './instruction.ts';
import { isNarrow, narrowedInLanes, type NarrowKind } from './narrow-lanes.ts';
import type { PlainOp } from './opcodes.ts';
import type { WasmScope } from './scope.ts';
import { heldIn, splatOf, type VectorShape } from './types.ts';

/**
 * Thrown while code for several threads at once is generated, if an operation supports only one
 * thread at a time.
 */
export class NotInLanes extends Error {}

/** Code for neighbouring threads, one in each lane. Shared values stay scalars. */
export interface LaneScope {
  readonly scope: WasmScope;
  /**
   * The bits of each lane. 32-bit lanes also hold 8-bit and 16-bit numbers. Values of other widths
   * have no lanes.
   */
  readonly bits: LaneBits;
  readonly locals: Map<number, number>;
  /** Vectors of shared values, which are made before the loop. */
  readonly splats: Map<string, number>;
  readonly before: Instruction[];
}

export type LaneBits = 8 | 16 | 32 | 64;

/** True if lanes are wider than numbers of `kind`, which are then represented as in one thread. */
export function isNarrowIn(kind: ScalarKind, { bits }: LaneScope): kind is NarrowKind {
  return bits === 32 && isNarrow(kind);
}

/** Returns the representation of a value in lanes. A bool sets all bits of its lane, or none. */
export function laneShape(kind: ScalarKind, { bits }: LaneScope): VectorShape {
  const shape = laneShapes[bits][kind];
  if (shape === undefined) throw new NotInLanes(`${kind} in lanes of ${bits} bits`);
  return shape;
}

export function fitsLanes(kind: ScalarKind, { bits }: LaneScope): boolean {
  return laneShapes[bits][kind] !== undefined;
}

const laneShapes: Readonly<Record<LaneBits, Readonly<Partial<Record<ScalarKind, VectorShape>>>>> = {
  8: { i8: 'i8x16', u8: 'i8x16' },
  16: { i16: 'i16x8', u16: 'i16x8' },
  32: {
    f32: 'f32x4',
    f16: 'f32x4',
    bf16: 'f32x4',
    i32: 'i32x4',
    u32: 'i32x4',
    bool: 'i32x4',
    i16: 'i32x4',
    u16: 'i32x4',
    i8: 'i32x4',
    u8: 'i32x4',
  },
  64: { f64: 'f64x2', i64: 'i64x2', u64: 'i64x2' },
};

/** Returns the values of `e` for as many threads as there are lanes. */
export function laneValue(e: Expression, lanes: LaneScope): WasmValue {
  const kind = scalarOf(e.type);
  if (kind === undefined || e.type.kind !== 'scalar') throw new NotInLanes(e.type.kind);
  const { scope } = lanes;
  if (scope.context.uniformity.isUniform(e)) return splat(kind, emitOne(e, scope), lanes);
  const known = scope.done.get(e)?.[0];
  if (known !== undefined) return known;
  const made = dispatchExpression(table, e, lanes);
  if (!scope.repeated.has(e)) return made;
  const local = scope.fn.local('v128');
  scope.code.push(...made.code, set(local));
  const stored = localValue('v128', local);
  scope.done.set(e, [stored]);
  return stored;
}

/**
 * Returns a value that all threads share in every lane. A parameter or constant is expanded before
 * the loop.
 */
export function splat(kind: ScalarKind, shared: WasmValue, lanes: LaneScope): WasmValue {
  const shape = laneShape(kind, lanes);
  const isTruth = kind === 'bool';
  const own = isTruth
    ? [i32(0), ...shared.code, op('i32.sub'), op('i32x4.splat')]
    : [...shared.code, op(splatOf[shape])];
  const [only] = shared.code;
  const isFixed = shared.code.length === 1 && (shared.text !== undefined || only?.op.endsWith('.const') === true);
  if (!isFixed) return value('v128', ...own);
  const key = `${shape} ${isTruth} ${JSON.stringify(only, (_, x: unknown) => (typeof x === 'number' || typeof x === 'bigint' ? `${Object.is(x, -0) ? '-0' : x}` : x))}`;
  let local = lanes.splats.get(key);
  if (local === undefined) {
    local = lanes.scope.fn.local('v128');
    lanes.splats.set(key, local);
    lanes.before.push(...own, set(local));
  }
  return localValue('v128', local);
}

function never(e: Expression): never {
  throw new NotInLanes(e.kind);
}

const table: ExpressionTable<LaneScope, WasmValue> = {
  constant: never,
  local: (e, { scope, locals }) => {
    const local = locals.get(e.local);
    if (local !== undefined) return localValue('v128', local);
    throw new NotInLanes(`local ${scope.context.module.locals[e.local]?.name ?? ''}`);
  },
  param: never,
  array: never,
  builtin: (e, lanes) => {
    const { y, z } = lanes.scope.context.specialisation.blockDim;
    const isLinear = e.builtin === 'threadLinear' || (e.builtin === 'threadIdx.x' && y * z === 1);
    if (!isLinear) throw new NotInLanes(e.builtin);
    return growing(lanes.scope.thread, 1, lanes);
  },
  field: never,
  unary: (e, lanes) => {
    const kind = scalarOf(e.type) ?? 'u32';
    const a = laneValue(e.operand, lanes);
    if (kind === 'bool') return value('v128', ...a.code, op('v128.not'));
    return inKind(kind, packedUnary(e.op, laneShape(kind, lanes), a) ?? never(e), lanes);
  },
  binary: (e, lanes) => {
    const kind = scalarOf(e.type) ?? 'u32';
    const { scope } = lanes;
    if (e.op === 'shl' || e.op === 'shr') {
      if (laneShape(kind, lanes) !== 'i32x4' || isNarrowIn(kind, lanes) || !scope.context.uniformity.isUniform(e.right))
        return never(e);
      const count = emitOne(e.right, scope);
      const shift = e.op === 'shl' ? 'i32x4.shl' : kind === 'i32' ? 'i32x4.shr_s' : 'i32x4.shr_u';
      return value('v128', ...laneValue(e.left, lanes).code, ...count.code, op(shift));
    }
    const left = laneValue(e.left, lanes);
    const right = laneValue(e.right, lanes);
    const shape = laneShape(kind, lanes);
    return inKind(kind, packedBinary(e.op, shape, scalarInfo[kind].signed, left, right, scope) ?? never(e), lanes);
  },
  compare: (e, lanes) => {
    const kind = scalarOf(e.left.type);
    if (kind === undefined) return never(e);
    const shape = laneShape(kind, lanes);
    const left = laneValue(e.left, lanes);
    const right = laneValue(e.right, lanes);
    return value('v128', ...left.code, ...right.code, op(comparison(e.op, shape, scalarInfo[kind].signed)));
  },
  // If the right side cannot fault, it may always be computed.
  logical: (e, lanes) => {
    const left = laneValue(e.left, lanes);
    const right = laneValue(e.right, lanes);
    return value('v128', ...left.code, ...right.code, op(e.op === 'and' ? 'v128.and' : 'v128.or'));
  },
  select: (e, lanes) => {
    const [then, otherwise] = [laneValue(e.then, lanes), laneValue(e.else, lanes)];
    const condition = laneValue(e.condition, lanes);
    return value('v128', ...then.code, ...otherwise.code, ...condition.code, op('v128.bitselect'));
  },
  convert: (e, lanes) => {
    const [from, to] = [scalarOf(e.operand.type), scalarOf(e.type)];
    if (from === undefined || to === undefined) return never(e);
    if (lanes.bits < 32 && from !== to) return cutOff(e.operand, to, lanes);
    const operand = laneValue(e.operand, lanes);
    if (isNarrowIn(from, lanes) || isNarrowIn(to, lanes)) return convertNarrow(from, to, operand, lanes) ?? never(e);
    const instruction = conversions[`${from}-${to}`];
    if (instruction === undefined) return never(e);
    return value('v128', ...operand.code, ...(instruction === 'same' ? [] : [op(instruction)]));
  },
  bitcast: (e, lanes) => {
    const [from, to] = [scalarOf(e.operand.type), scalarOf(e.type)];
    if (from === undefined || to === undefined || from === 'bool' || to === 'bool') return never(e);
    if (isNarrow(from) || isNarrow(to)) return never(e);
    laneShape(from, lanes);
    laneShape(to, lanes);
    return laneValue(e.operand, lanes);
  },
  math: (e, lanes) => {
    const kind = scalarOf(e.type) ?? 'u32';
    const [arg] = e.args;
    if (arg === undefined || e.args.length > 1 || heldIn[kind] === 'i32') return never(e);
    // The result of these operations on a 16-bit number has 16 bits too. The result of a root does
    // not.
    if (isNarrow(kind) && e.function === 'sqrt') return never(e);
    return packedMath(e.function, laneShape(kind, lanes), [laneValue(arg, lanes)]) ?? never(e);
  },
  vector: never,
  lane: never,
  withLane: never,
  windowPointer: never,
  addressPointer: never,
  multicastPointer: never,
  unicastPointer: never,
  multicastSize: never,
  clusterPointer: never,
  pointerOffset: never,
  pointerCast: never,
  intrinsic: (e, lanes) => laneValue(e.expansion, lanes),
};

const remains: ReadonlySet<string> = new Set<BinaryOp>(['add', 'sub', 'mul', 'and', 'or', 'xor']);

/**
 * Returns the lowest bits of a 32-bit integer as a number of `to`. Those of a sum depend only on
 * those of its operands.
 */
function cutOff(e: Expression, to: ScalarKind, lanes: LaneScope): WasmValue {
  const shape = laneShape(to, lanes);
  const kind = scalarOf(e.type);
  if (kind === undefined || e.type.kind !== 'scalar') return never(e);
  if (fitsLanes(kind, lanes)) return laneValue(e, lanes);
  if (kind !== 'i32' && kind !== 'u32') return never(e);
  if (lanes.scope.context.uniformity.isUniform(e)) return splat(to, emitOne(e, lanes.scope), lanes);
  if (e.kind === 'convert') return cutOff(e.operand, to, lanes);
  if (e.kind !== 'binary' || !remains.has(e.op)) return never(e);
  const [left, right] = [cutOff(e.left, to, lanes), cutOff(e.right, to, lanes)];
  return packedBinary(e.op, shape, false, left, right, lanes.scope) ?? never(e);
}

/** Converts a value that was computed in 32-bit lanes to a value of `kind`. */
function inKind(kind: ScalarKind, made: WasmValue, lanes: LaneScope): WasmValue {
  return isNarrowIn(kind, lanes) ? narrowedInLanes(kind, made, lanes.scope) : made;
}

/**
 * Converts if one type has 8 or 16 bits. Returns `undefined` if the conversion takes more than
 * rounding or truncation.
 */
function convertNarrow(from: ScalarKind, to: ScalarKind, operand: WasmValue, lanes: LaneScope): WasmValue | undefined {
  if (from === 'bool' || to === 'bool') return undefined;
  const [given, made] = [laneShape(from, lanes), laneShape(to, lanes)];
  if (given === made) return inKind(to, operand, lanes);
  // An f32 represents all 16-bit integers.
  if (made !== 'f32x4' || !isNarrow(from)) return undefined;
  return inKind(to, value('v128', ...operand.code, op('f32x4.convert_i32x4_s')), lanes);
}

/** Returns the 32-bit values `first + step * lane`, modulo 2^32. */
export function growing(first: WasmValue, step: number, lanes: LaneScope): WasmValue {
  if (lanes.bits !== 32) throw new NotInLanes('a number of 32 bits');
  const steps = [0, 1, 2, 3].flatMap((i) => [...new Uint8Array(Int32Array.of(i * step).buffer)]);
  return value('v128', ...first.code, op('i32x4.splat'), v128(steps), op('i32x4.add'));
}

function comparison(name: CompareOp, shape: VectorShape, signed: boolean): PlainOp {
  if (shape === 'f32x4') return `f32x4.${name}`;
  if (shape !== 'i32x4') throw new NotInLanes(`comparisons of ${shape}`);
  return name === 'eq' || name === 'ne' ? `i32x4.${name}` : `i32x4.${name}_${signed ? 's' : 'u'}`;
}

const conversions: Readonly<Record<string, PlainOp | 'same'>> = {
  'i32-u32': 'same',
  'u32-i32': 'same',
  'i64-u64': 'same',
  'u64-i64': 'same',
  'i32-f32': 'f32x4.convert_i32x4_s',
  'u32-f32': 'f32x4.convert_i32x4_u',
  'f32-i32': 'i32x4.trunc_sat_f32x4_s',
  'f32-u32': 'i32x4.trunc_sat_f32x4_u',
};
