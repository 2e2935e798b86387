import type { ScalarKind } from '@nccl-ts/core';
import type { AtomicMeaning, ValueType } from '@nccl-ts/ir';
import { isFloat } from '../emit-shared/types.ts';
import { binary } from './emit-operation.ts';
import type { WasmValue } from './function-builder.ts';
import { lines, op, type WasmCode } from './instruction.ts';
import type { WasmScope } from './scope.ts';
import { heldIn } from './types.ts';

/** A checked memory location: a byte address, and an offset from it. */
export interface CheckedAddress {
  readonly address: WasmCode;
  readonly offset: number;
  readonly element: ValueType;
  readonly site: number;
  /** True if other threads of the host may access it concurrently, with ordered accesses. */
  readonly strong: boolean;
}

/**
 * Compares floats by their bits, as the hardware's compare-and-swap does, except that all NaNs
 * count as equal.
 */
export function same(kind: ScalarKind, a: WasmValue, b: WasmValue): WasmCode {
  const type = heldIn[kind];
  if (type === 'i32' || type === 'i64') return [...a.code, ...b.code, op(`${type}.eq`)];
  if (type === 'v128' || !isFloat(kind)) return [...a.code, ...b.code, op('f64.eq')];
  const [bits, width] =
    type === 'f32' ? (['i32.reinterpret_f32', 'i32'] as const) : (['i64.reinterpret_f64', 'i64'] as const);
  const isNaN = ({ code }: WasmValue): WasmCode => [...code, ...code, op(`${type}.ne`)];
  return lines(
    [...a.code, op(bits), ...b.code, op(bits), op(`${width}.eq`)],
    [...isNaN(a), ...isNaN(b), op('i32.and'), op('i32.or')],
  );
}

/** Returns the value that an atomic operation writes, if it writes one. */
export function updated(
  meaning: AtomicMeaning,
  kind: ScalarKind,
  old: WasmValue,
  operand: WasmValue,
  scope: WasmScope,
  site: number,
): WasmValue {
  return meaning.kind === 'binary' ? binary(meaning.op, kind, old, operand, scope, () => site) : operand;
}
