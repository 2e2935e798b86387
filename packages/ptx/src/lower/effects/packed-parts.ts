import type { ScalarKind } from '@nccl-ts/core';
import { bitcast, constant, lane, scalarType, vector, vectorType, type Expression } from '@nccl-ts/ir';
import type { PtxOperand } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';

/** The contents of a register. */
export interface RegisterContents {
  readonly kind: ScalarKind;
  /** The number of values in a register. Packed registers have 2. */
  readonly parts: 1 | 2;
}

const shapes: Readonly<Partial<Record<string, RegisterContents>>> = {
  b16: { kind: 'u16', parts: 1 },
  b32: { kind: 'u32', parts: 1 },
  b64: { kind: 'u64', parts: 1 },
  u32: { kind: 'u32', parts: 1 },
  s32: { kind: 'i32', parts: 1 },
  u64: { kind: 'u64', parts: 1 },
  s64: { kind: 'i64', parts: 1 },
  f16: { kind: 'f16', parts: 1 },
  bf16: { kind: 'bf16', parts: 1 },
  f16x2: { kind: 'f16', parts: 2 },
  bf16x2: { kind: 'bf16', parts: 2 },
  f32: { kind: 'f32', parts: 1 },
  f64: { kind: 'f64', parts: 1 },
};

/** The contents of a register of a PTX type. `undefined` for types that are not numbers here. */
export function shapeOf(type: string): RegisterContents | undefined {
  return shapes[type];
}

/** The values in a register, each as a `kind`. */
export function partsOf(
  lowering: Lowering,
  operand: PtxOperand,
  { parts, kind: element }: RegisterContents,
  kind: ScalarKind = element,
): readonly Expression[] {
  if (parts === 1) return [lowering.value(operand, kind)];
  const pair = bitcast(vectorType(element, 2), lowering.value(operand, 'u32'));
  return [lane(pair, constant('u32', 0)), lane(pair, constant('u32', 1))];
}

/** Packs the values into a register again. */
export function joined({ kind, parts }: RegisterContents, values: readonly Expression[]): Expression {
  const [first] = values;
  if (parts === 1 && first !== undefined) return first;
  return bitcast(scalarType('u32'), vector(vectorType(kind, 2), values));
}
