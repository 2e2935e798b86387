import { bitcast, scalarType, select, vector, vectorType, type Expression } from '@nccl-ts/ir';
import { abs, bits, choose, either, element, is, isNaN, kindOf, max, min, mul, number } from './build.ts';
import { isPacked, storedInLocal, scalarOf, type ArithmeticType, type InstructionForm } from './form.ts';

/** The smallest normal number of a float. */
function leastNormal(e: Expression): number {
  return kindOf(e) === 'f16' ? 2 ** -14 : 2 ** -126;
}

/** Flushes a subnormal to a zero of its sign. The operand is used more than once. */
export function flushed(e: Expression): Expression {
  return choose(is('lt', abs(e), leastNormal(e)), mul(e, 0), e);
}

/** Clamps the value to 0 to 1. A NaN becomes 0. */
export function saturated(e: Expression): Expression {
  return min(max(e, 0), 1);
}

/** The value, or 0 if it is negative. A NaN stays a NaN. The operand is used more than once. */
export function rectified(e: Expression): Expression {
  return select(either(is('gt', e, 0), isNaN(e)), e, number(kindOf(e), 0));
}

/** Applies its modifiers to a result. */
export function finished(form: InstructionForm, value: Expression): Expression {
  const { lowering } = form;
  let result = value;
  if (form.says('ftz')) result = flushed(storedInLocal(lowering, 'result', result));
  if (form.says('sat')) result = saturated(result);
  if (form.says('relu')) result = rectified(storedInLocal(lowering, 'result', result));
  return result;
}

/** The elements of an operand: one, or two for a packed type. */
export function sourceOf(
  form: InstructionForm,
  index: number,
  type: ArithmeticType = form.type,
): readonly Expression[] {
  const scalar = scalarOf(type);
  if (!isPacked(type)) return [form.value(index, scalar)];
  const pair = pairOf(form, index, type);
  return [element(pair, 0), element(pair, 1)];
}

/** A packed operand as a vector. */
export function pairOf(form: InstructionForm, index: number, type: ArithmeticType = form.type): Expression {
  const isWide = type === 'f32x2';
  const word = isWide ? 'u64' : type.startsWith('e') ? 'u16' : 'u32';
  return bitcast(vectorType(scalarOf(type), 2), form.value(index, word));
}

/** The elements of a float operand, with subnormals flushed for `.ftz`. */
export function floatSource(
  form: InstructionForm,
  index: number,
  type: ArithmeticType = form.type,
): readonly Expression[] {
  const values = sourceOf(form, index, type);
  if (!form.says('ftz')) return values;
  return values.map((value) =>
    storedInLocal(form.lowering, 'source', flushed(storedInLocal(form.lowering, 'source', value))),
  );
}

/** Sets the result to its elements. */
export function give(form: InstructionForm, elements: readonly Expression[], type: ArithmeticType = form.type): void {
  const [first] = elements;
  if (first === undefined) return;
  form.lowering.assign(form.result, isPacked(type) ? packed(type, elements) : first);
}

/** Packs elements into a register, with the first one in the low bits. */
export function packed(type: ArithmeticType, elements: readonly Expression[]): Expression {
  return packedVector(type, vector(vectorType(scalarOf(type), 2), elements));
}

export function packedVector(type: ArithmeticType, pair: Expression): Expression {
  return bitcast(scalarType(type === 'f32x2' ? 'u64' : type.startsWith('e') ? 'u16' : 'u32'), pair);
}

export function rounding(form: InstructionForm): 'rn' | 'rz' | 'rm' | 'rp' {
  return form.which(['rn', 'rz', 'rm', 'rp']) ?? 'rn';
}

/** The bits of a float, as the unsigned integer of its size. */
export function bitsOf(e: Expression): Expression {
  const kind = kindOf(e);
  return bits(kind === 'f64' ? 'u64' : kind === 'f32' ? 'u32' : 'u16', e);
}
