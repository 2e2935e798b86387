import type { InstructionLowering } from '../lowering.ts';
import { constant, math, scalarType, type Expression, type MathFunction } from '@nccl-ts/ir';
import { scalarInfo } from '@nccl-ts/core';
import { and, choose, either, is, isNaN, kindOf, max, min, number, or, shl, to } from './build.ts';
import { directedNarrow, moved } from './directed.ts';
import { flushed, packed, pairOf, rectified, rounding, saturated } from './float-modes.ts';
import {
  isFloat,
  isPacked,
  storedInLocal,
  lowered,
  scalarOf,
  type ArithmeticType,
  type InstructionForm,
  type FormRules,
} from './form.ts';
import { convertSmallFloats, convertToTf32, isOfSmallFloats } from './small-floats.ts';

const integers = ['u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'] as const;
const floats = ['f16', 'bf16', 'f32', 'f64'] as const;
const packedTypes = ['f16x2', 'bf16x2', 'e4m3x2', 'e5m2x2'] as const;
const all: readonly ArithmeticType[] = [...integers, ...floats, ...packedTypes];
const toFloat = ['rn', 'rz', 'rm', 'rp'] as const;
const toWhole = ['rni', 'rzi', 'rmi', 'rpi'] as const;

const wholes: Readonly<Record<(typeof toWhole)[number], MathFunction>> = {
  rni: 'round',
  rzi: 'trunc',
  rmi: 'floor',
  rpi: 'ceil',
};

const rules: FormRules = {
  modifiers: [[...toFloat, ...toWhole], ['ftz'], ['sat', 'satfinite'], ['relu']],
  types: [all, all],
  operands: [2, 3],
};

function bounds(type: ArithmeticType): { readonly least: bigint; readonly most: bigint } {
  const info = scalarInfo[scalarOf(type)];
  return info.class === 'int' ? { least: info.min, most: info.max } : { least: 0n, most: 0n };
}

function checkRounding(form: InstructionForm, expected: 'none' | 'float' | 'whole' | 'any'): void {
  const float = form.which(toFloat);
  const whole = form.which(toWhole);
  const named = float ?? whole;
  if (expected === 'none' && named !== undefined) form.refuse(`cannot use .${named} between these types`);
  if (expected === 'float' && float === undefined) form.refuse('needs .rn, .rz, .rm or .rp');
  if (expected === 'whole' && whole === undefined) form.refuse('needs .rni, .rzi, .rmi or .rpi');
}

function checkNone(form: InstructionForm, ...modifiers: readonly string[]): void {
  for (const modifier of modifiers) {
    if (form.says(modifier)) form.refuse(`cannot use .${modifier} between these types`);
  }
}

function integerToInteger(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): Expression {
  checkRounding(form, 'none');
  checkNone(form, 'ftz', 'satfinite', 'relu');
  const value = form.value(1, scalarOf(source));
  if (!form.says('sat')) return to(scalarOf(target), value);
  const [from, into] = [bounds(source), bounds(target)];
  const kind = scalarOf(source);
  const bound = (limit: bigint): Expression => constant(kind, kind.endsWith('64') ? limit : Number(limit));
  let cut = value;
  if (into.least > from.least) cut = max(cut, bound(into.least));
  if (into.most < from.most) cut = min(cut, bound(into.most));
  return to(scalarOf(target), cut);
}

/** Converts a float to an integer: rounds it to a whole number, and then clamps it to the range. */
function floatToInteger(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): Expression {
  checkRounding(form, 'whole');
  checkNone(form, 'satfinite', 'relu');
  const { lowering } = form;
  const mode = form.which(toWhole) ?? 'rzi';
  const value = flushedSource(form, source);
  const whole = mode === 'rzi' ? value : math(wholes[mode], [value]);
  const kind = scalarOf(target);
  if (source !== 'f64' && !target.endsWith('64')) return to(kind, whole);
  // In the IR a NaN becomes 0, but here it becomes the highest bit.
  const { least, most } = bounds(target);
  const nan = least === 0n ? (most + 1n) / 2n : least;
  const local = storedInLocal(lowering, 'whole', whole);
  return choose(isNaN(local), constant(kind, kind.endsWith('64') ? nan : Number(nan)), to(kind, local));
}

function flushedSource(form: InstructionForm, source: ArithmeticType): Expression {
  const value = form.value(1, scalarOf(source));
  if (!form.says('ftz')) return value;
  return source === 'f32' ? flushed(storedInLocal(form.lowering, 'source', value)) : value;
}

function integerToFloat(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): Expression {
  checkRounding(form, 'float');
  checkNone(form, 'ftz', 'satfinite', 'relu');
  const value = form.value(1, scalarOf(source));
  const result = directedInteger(form, target, value);
  return form.says('sat') ? saturated(result) : result;
}

function directedInteger(form: InstructionForm, target: ArithmeticType, value: Expression): Expression {
  const { lowering } = form;
  const mode = rounding(form);
  const kind = scalarOf(target);
  if (mode === 'rn') return to(kind, value);
  if (kindOf(value).endsWith('64')) return directedWide(form, target, storedInLocal(lowering, 'source', value));
  if (kind === 'f64') return to(kind, value);
  return narrowed(form, kind, to('f64', value));
}

function narrowed(form: InstructionForm, kind: ReturnType<typeof scalarOf>, value: Expression): Expression {
  if (kind !== 'f32' && kind !== 'f16' && kind !== 'bf16') return to(kind, value);
  return directedNarrow(form.lowering, rounding(form), kind, value);
}

/**
 * A double cannot hold 64 bits, so the rounded number is compared as an integer, or with the ends
 * of the range.
 */
function directedWide(form: InstructionForm, target: ArithmeticType, value: Expression): Expression {
  const { lowering } = form;
  const kind = scalarOf(target);
  const nearest = lowering.keep('nearest', to(kind, value));
  const back = to(kindOf(value), nearest);
  // The range of f16 ends far below, so a value is outside only if it is infinite.
  const end = kind === 'f16' ? Number.POSITIVE_INFINITY : kindOf(value) === 'u64' ? 2 ** 64 : 2 ** 63;
  const below = either(is('ge', nearest, end), is('lt', value, back));
  const above = is('gt', value, back);
  const isBefore = is('eq', nearest, Number.NEGATIVE_INFINITY);
  return moved(lowering, rounding(form), nearest, below, kind === 'f16' ? either(isBefore, above) : above);
}

/** The precision of each float. Conversions to a wider one are exact. */
const ranks: Readonly<Partial<Record<ArithmeticType, number>>> = { f16: 1, bf16: 1, f32: 2, f64: 3 };

function floatToFloat(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): Expression {
  if (target !== 'f16' && target !== 'bf16') checkNone(form, 'satfinite');
  const { lowering } = form;
  const [from, into] = [ranks[source], ranks[target]];
  if (from === undefined || into === undefined) return form.refuse(`cannot convert .${source} to .${target}`);
  const isNarrower = into < from || (into === from && target !== source);
  checkRounding(form, isNarrower ? 'float' : 'any');
  const kind = scalarOf(target);
  if (form.says('relu') && into !== 1) form.refuse(`cannot use .relu with .${target}`);
  if (!isNarrower && form.which(toFloat) !== undefined) form.refuse('is exact and takes no rounding');
  const whole = form.which(toWhole);
  if (whole !== undefined && target !== source) form.refuse(`can use .${whole} only between equal types`);
  const given = flushedSource(form, source);
  const rounded = whole === undefined ? given : math(wholes[whole], [given]);
  const limited = form.says('satfinite') ? within(storedInLocal(lowering, 'value', rounded), target) : rounded;
  let result = isNarrower ? narrowed(form, kind, limited) : to(kind, limited);
  if (form.says('ftz') && target === 'f32' && source !== 'f32')
    result = flushed(storedInLocal(lowering, 'result', result));
  if (form.says('sat')) result = saturated(result);
  return form.says('relu') ? rectified(storedInLocal(lowering, 'result', result)) : result;
}

/**
 * The value, or the largest value of the type with its sign. A NaN stays a NaN. The operand is used
 * more than once.
 */
function within(value: Expression, target: ArithmeticType): Expression {
  const info = scalarInfo[scalarOf(target)];
  const most = info.class === 'float' ? info.maxFinite : Number.POSITIVE_INFINITY;
  return choose(
    is('gt', value, most),
    number(kindOf(value), most),
    choose(is('lt', value, -most), number(kindOf(value), -most), value),
  );
}

/**
 * Packs two floats, or two elements, into a register. Of two operands, the first has the high bits.
 */
function toPacked(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): Expression {
  checkNone(form, 'sat');
  const { lowering } = form;
  const isByte = target.startsWith('e');
  const mode = form.which(toFloat) ?? form.refuse('needs .rn or .rz');
  if (mode !== 'rn' && (isByte || mode !== 'rz')) form.refuse(`cannot use .${mode} with .${target}`);
  // Conversions to 8 bits always stay finite.
  if (isByte && !form.says('satfinite')) form.refuse('needs .satfinite');
  const elements = packedSource(form, target, source).map((value) => {
    const limited = form.says('satfinite') && !isByte ? within(storedInLocal(lowering, 'value', value), target) : value;
    const cut = form.says('relu') ? rectified(storedInLocal(lowering, 'value', limited)) : limited;
    return narrowed(form, scalarOf(target), cut);
  });
  return packed(target, elements);
}

function packedSource(form: InstructionForm, target: ArithmeticType, source: ArithmeticType): readonly Expression[] {
  const { length } = form.instruction.operands;
  if (source === 'f32') {
    checkNone(form, 'ftz');
    if (length !== 3) form.refuse('needs two values to pack');
    return [form.value(2, 'f32'), form.value(1, 'f32')];
  }
  checkNone(form, 'ftz');
  const isPair = (type: ArithmeticType): boolean => type === 'f16x2' || type === 'bf16x2';
  const known = target.startsWith('e') ? isPair(source) : isPair(target) && source.startsWith('e');
  if (!known) form.refuse(`cannot convert .${source} to .${target}`);
  if (length !== 2) form.refuse('converts one register, not two');
  const pair = pairOf(form, 1, source);
  return [0, 1].map((index) => ({
    kind: 'lane',
    type: scalarType(scalarOf(source)),
    vector: pair,
    index: number('u32', index),
  }));
}

const cvtValue: InstructionLowering = lowered(rules, (work) => {
  const [target, source] = work.types;
  if (target === undefined || source === undefined) return;
  if (isPacked(target)) return work.lowering.assign(work.result, toPacked(work, target, source));
  if (isPacked(source)) work.refuse(`cannot convert .${source} to .${target}`);
  if (work.instruction.operands.length !== 2) work.refuse('converts one value, not two');
  if (work.says('ftz') && target !== 'f32' && source !== 'f32') work.refuse('uses .ftz, which is for .f32 only');
  const lower = isFloat(target)
    ? isFloat(source)
      ? floatToFloat
      : integerToFloat
    : isFloat(source)
      ? floatToInteger
      : integerToInteger;
  work.lowering.assign(work.result, lower(work, target, source));
});

const narrow = ['u16', 's16', 'u8', 's8'] as const;

/**
 * Packs two integers, cut to a narrower type. The second one has the low bits, and a third operand
 * has the bits above them.
 */
const pack = lowered(
  { modifiers: [['pack'], ['sat']], types: [narrow, ['s32'], ['b32']], leastTypes: 2, operands: [3, 4] },
  (work) => {
    const { lowering, type } = work;
    if (!work.says('sat')) work.refuse('needs .sat');
    const { least, most } = bounds(type);
    const width = type.endsWith('16') ? 16 : 8;
    const mask = 2 ** width - 1;
    const cut = (index: number): Expression =>
      and(
        to('u32', min(max(work.value(index, 's32' === work.types[1] ? 'i32' : 'u32'), Number(least)), Number(most))),
        mask,
      );
    const low = or(shl(cut(1), width), cut(2));
    const hasThird = work.types.length === 3;
    if (hasThird !== (work.instruction.operands.length === 4)) {
      work.refuse(hasThird ? 'names .b32 but has no third value' : 'needs .b32 as the type of its third value');
    }
    if (hasThird === (width === 16)) work.refuse(`${hasThird ? 'takes no' : 'needs a'} third value with .${type}`);
    lowering.assign(work.result, hasThird ? or(shl(work.value(3, 'u32'), width * 2), low) : low);
  },
);

function conversionOf(words: readonly string[]): InstructionLowering {
  if (words.includes('pack')) return pack;
  if (words.includes('tf32')) return convertToTf32;
  return isOfSmallFloats(words) ? convertSmallFloats : cvtValue;
}

/** Lowers `cvt`. */
export const convert: InstructionLowering = (instruction, lowering) => {
  conversionOf(instruction.words)(instruction, lowering);
};
